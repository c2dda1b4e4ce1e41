import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isLoopbackHost } from '../../lib/base/loopback.ts';

const test = suite('What only this machine can reach');

const hosts = {
  true: ['localhost', 'LOCALHOST.', 'app.localhost', 'a.b.localhost.', '127.0.0.1', '127.9.8.7', '::1', '[::1]'],
  false: ['', '0.0.0.0', '::', '10.0.0.1', '128.0.0.1', '127.0.0.1.evil.test', 'localhost.evil.test', 'evillocalhost'],
};
const mapped = {
  true: ['::ffff:127.0.0.1', '[::FFFF:127.0.0.1]', '::ffff:7f00:1', '[::ffff:7f00:1]'],
  false: ['::ffff:10.0.0.1', '::ffff:7e00:1', '::ffff:7f:1', '::1:127.0.0.1'],
};

for (const [table, what] of [
  [hosts, 'names and addresses'],
  [mapped, 'IPv4 addresses as IPv6 shows them'],
] as const)
  test(what, () => {
    for (const host of table.true) assert.ok(isLoopbackHost(host), host);
    for (const host of table.false) assert.not.ok(isLoopbackHost(host), host);
  });

test.run();
