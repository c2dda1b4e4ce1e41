import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { grantWords, routeWords } from '../../public/sandbox/grant-words.ts';
import { globSync } from '../glob.mjs';

const test = suite('The page of plugins says in plain words what each bundle may do');

test('every route of the service has words, but streams and images, which bundles can not read', () => {
  const routes = globSync('handlers', /\.ts$/)
    .flatMap((file: string) => /endpoint\('([A-Z]+ \/api\/[^']+)'/.exec(readFileSync(file, 'utf8'))?.[1] ?? [])
    .filter((route: string) => !/events$|images/.test(route));
  assert.equal(Object.keys(routeWords).sort(), routes.sort());
});

test('no list: everything may be read, nothing changed', () => {
  const { readsAll, writes, dangers } = grantWords(undefined);
  assert.equal({ readsAll, writes, dangers }, { readsAll: true, writes: [], dangers: [] });
});

test('an empty list: nothing', () => {
  assert.equal(grantWords([]), { readsAll: false, reads: [], writes: [], dangers: [], dropped: [] });
});

test('wildcards are words for what they cover, and nothing else', () => {
  const { readsAll, reads } = grantWords(['GET /api/sessions/*', 'get /api/usage', 'HEAD /api/usage']);
  assert.equal(
    { readsAll, reads },
    { readsAll: false, reads: ['every session', 'how much was used', 'HEAD /api/usage'] },
  );
  assert.is(grantWords(['GET /api/*']).readsAll, false);
  assert.is(grantWords(['GET /api/**']).readsAll, true);
});

test('approving, sending, deleting are marked, also inside a wildcard', () => {
  const { writes, dangers } = grantWords(['POST /api/sessions/*/cancel', 'POST /api/sessions/*/approvals/*']);
  assert.equal(writes, ['approve in your name what agents ask for: commands, too', 'stop runs'].sort(order(writes)));
  assert.equal(dangers, ['approve in your name what agents ask for: commands, too']);
  assert.ok(grantWords(['POST /api/**']).dangers.includes('approve in your name what agents ask for: commands, too'));
  assert.ok(grantWords(['DELETE /api/**']).dangers.includes('delete sessions'));
});

test("a plugin's own route and a single session are shown as they are; what is no grant is named", () => {
  const { reads, writes, dangers, dropped } = grantWords([
    'GET /api/deployments',
    'DELETE /api/sessions/ses_1',
    '/api/x',
    'GET /x',
  ]);
  assert.equal(
    { reads, writes, dangers, dropped },
    {
      reads: ['GET /api/deployments'],
      writes: ['DELETE /api/sessions/ses_1'],
      dangers: ['DELETE /api/sessions/ses_1'],
      dropped: ['/api/x', 'GET /x'],
    },
  );
});

function order(all: readonly string[]) {
  return (a: string, b: string) => all.indexOf(a) - all.indexOf(b);
}

test.run();
