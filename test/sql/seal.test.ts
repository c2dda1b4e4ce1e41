import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { newSecret, seal, unseal } from '../../lib/store/sql/seal.ts';

const test = suite('a sealed text is read with its secret only');

test('whatever it holds, and it comes back as it was', () => {
  const secret = newSecret();
  const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ minLength: 1_500, maxLength: 3_000 }));
  fc.assert(fc.property(text, (each) => unseal(secret, seal(secret, each)) === each));
  const long = 'what is long and says the same is stored in less. '.repeat(4_000);
  assert.is(unseal(secret, seal(secret, long)), long);
  assert.ok(seal(secret, long).length < long.length / 10);
});

test('the same text is never sealed the same way', () => {
  const secret = newSecret();
  assert.is.not(seal(secret, 'yes'), seal(secret, 'yes'));
  assert.is.not(newSecret(), secret);
});

test('with another secret, or when a bit was turned, it is refused', () => {
  const secret = newSecret();
  const sealed = seal(secret, 'Plant the tulips.');
  assert.throws(() => unseal(newSecret(), sealed));
  const bytes = Buffer.from(sealed, 'base64');
  for (let at = 0; at < bytes.length; at++) {
    const turned = Buffer.from(bytes);
    turned.writeUInt8(turned.readUInt8(at) ^ 4, at);
    assert.throws(() => unseal(secret, turned.toString('base64')), undefined, `byte ${at}`);
  }
  assert.throws(() => unseal(secret, ''));
});

test.run();
