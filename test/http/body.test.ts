import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseJson, parseJsonObject, readBody } from '../../lib/http/body.ts';
import { validate } from '../../lib/http/validate.ts';
import { isServiceError } from '../../lib/wire/errors.ts';
import {
  CreateCheckpointRequest,
  CreateSessionRequest,
  DecisionRequest,
  RewindRequest,
  SendMessageRequest,
  UpdateSessionRequest,
} from '../../lib/wire/requests.ts';
import { within } from '../helpers/within.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

/** The code of the ServiceError that `fn` throws; the message of anything else. */
function codeOf(fn: () => unknown): string {
  try {
    fn();
  } catch (error) {
    return isServiceError(error) ? error.code : String(error);
  }
  return 'none';
}

async function codeOfAsync(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'none',
    (error: unknown) => (isServiceError(error) ? error.code : String(error)),
  );
}

const json = suite('Bodies: JSON in UTF-8 within bounds');

json('what is not JSON or not UTF-8 is invalid_json; JSON that is no object invalid_body', () => {
  for (const text of ['{', '{"a":}', 'nope', "{'a':1}", '{"a":1}x'])
    assert.is(
      codeOf(() => parseJsonObject(bytes(text))),
      'invalid_json',
      text,
    );
  assert.is(
    codeOf(() => parseJsonObject(new Uint8Array([0x22, 0xff, 0x22]))),
    'invalid_json',
  );
  for (const text of ['[]', '"a"', '7', 'true', 'null', ' null '])
    assert.is(
      codeOf(() => parseJsonObject(bytes(text))),
      'invalid_body',
      text,
    );
});

json('an absent or blank body is an empty object', () => {
  for (const text of ['', ' \n']) assert.equal(parseJsonObject(bytes(text)), {});
});

json('depth 64, 200,000 parts and 50,000 keys are the bounds, strings do not count', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  assert.is(
    codeOf(() => parseJson(bytes(nested(64)))),
    'none',
  );
  assert.is(
    codeOf(() => parseJson(bytes(nested(65)))),
    'invalid_body',
  );
  const list = (parts: number) => `[${new Array(parts).fill('0').join(',')}]`;
  assert.is(
    codeOf(() => parseJson(bytes(list(199_999)))),
    'none',
  );
  assert.is(
    codeOf(() => parseJson(bytes(list(200_001)))),
    'invalid_body',
  );
  const keys = (count: number) => `{${Array.from({ length: count }, (_, i) => `"${i}":0`).join(',')}}`;
  assert.is(
    codeOf(() => parseJson(bytes(keys(50_000)))),
    'none',
  );
  assert.is(
    codeOf(() => parseJson(bytes(keys(50_001)))),
    'invalid_body',
  );
  const tricky = { a: '[{"\\'.repeat(300_000), b: '\\\\', c: '\\\\"[', d: 'x"' };
  assert.equal(parseJson(bytes(JSON.stringify(tricky))), tricky);
});

json('bombs of ten megabytes are refused without being parsed', () => {
  const size = 10_000_000;
  for (const bomb of ['['.repeat(size), '{"a":'.repeat(size / 5), '{},'.repeat(size / 3), `"${'\\'.repeat(size)}`]) {
    const code = codeOf(() => parseJson(bytes(bomb)));
    assert.ok(code === 'invalid_body' || code === 'invalid_json', code);
  }
});

json('keys that reach a prototype are dropped, however they are spelled', () => {
  const value = parseJson(bytes('{"__proto__":{"x":1},"a":[{"\\u005f_proto__":1,"constructor":2,"b":3}]}'));
  assert.is(JSON.stringify(value), '{"a":[{"b":3}]}');
  assert.is(Reflect.get({}, 'x'), undefined);
});

json('a compressed body is refused', async () => {
  const request = new Request('http://x/', { method: 'POST', body: 'x', headers: { 'content-encoding': 'gzip' } });
  assert.is(await codeOfAsync(readBody(request, 10)), 'invalid_body');
});

json('the limit counts what arrives, not what was declared', async () => {
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(100)),
  });
  const init: RequestInit & { duplex: 'half' } = { method: 'POST', body, duplex: 'half' };
  assert.is(await codeOfAsync(readBody(new Request('http://x/', init), 1_000)), 'payload_too_large');
  const exact = new Request('http://x/', { method: 'POST', body: 'x'.repeat(1_000) });
  assert.is((await readBody(exact, 1_000)).byteLength, 1_000);
});

json('a body that stops arriving is not waited for once its client is gone', async () => {
  const gone = new AbortController();
  const body = new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(bytes('{')) });
  const init: RequestInit & { duplex: 'half' } = { method: 'POST', body, duplex: 'half' };
  const reading = codeOfAsync(readBody(new Request('http://x/', init), 1_000, { signal: gone.signal }));
  gone.abort();
  assert.is(await within(5_000, reading), 'invalid_body');
});

json('a body that somebody in front has read is no fault of the client', async () => {
  const request = new Request('http://x/', { method: 'POST', body: '{}' });
  await request.text();
  assert.match(await codeOfAsync(readBody(request, 10)), /was read before the handler was called/);
});
json.run();

const fields = suite('Validation: which 400 is it');
const png = { mimeType: 'image/png', data: 'iVBORw0KGgo=' };
const imageOf = (size: number) => ({ ...png, data: Buffer.alloc(size).toString('base64') });
const mb = 1024 * 1024;

const wrong: [string, unknown, string][] = [
  ['create', { title: 7 }, 'invalid_title'],
  ['create', { title: ' \t' }, 'invalid_title'],
  ['create', { title: 'x'.repeat(201) }, 'invalid_title'],
  ['create', { title: null }, 'invalid_title'],
  ['create', { model: 7 }, 'invalid_model'],
  ['create', { systemPrompt: [] }, 'invalid_prompt'],
  ['create', { systemPrompt: 'x'.repeat(100_001) }, 'invalid_prompt'],
  ['create', { workspace: 7 }, 'invalid_body'],
  ['update', { title: '' }, 'invalid_title'],
  ['message', {}, 'invalid_message'],
  ['message', { content: 7 }, 'invalid_message'],
  ['message', { content: '' }, 'invalid_message'],
  ['message', { content: ' \n', images: [] }, 'invalid_message'],
  ['message', { content: 'x'.repeat(200_001) }, 'message_too_large'],
  ['message', { content: '', images: 'no' }, 'invalid_images'],
  ['message', { content: '', images: new Array(7).fill(png) }, 'invalid_images'],
  ['message', { content: '', images: [{ ...png, mimeType: 'image/svg+xml' }] }, 'invalid_images'],
  ['message', { content: '', images: [{ ...png, data: 'not base64!' }] }, 'invalid_images'],
  ['message', { content: '', images: [{ ...png, data: 'abc' }] }, 'invalid_images'],
  ['message', { content: '', images: [{ ...png, data: '' }] }, 'invalid_images'],
  ['message', { content: '', images: [{ ...png, name: 'n'.repeat(121) }] }, 'invalid_images'],
  ['message', { content: '', images: [imageOf(4 * mb + 1)] }, 'payload_too_large'],
  ['message', { content: '', images: new Array(4).fill(imageOf(3 * mb + 1)) }, 'payload_too_large'],
  ['decision', {}, 'invalid_decision'],
  ['decision', { approved: 'yes' }, 'invalid_decision'],
  ['decision', { approved: true, note: 7 }, 'invalid_decision'],
  ['decision', { approved: true, note: 'x'.repeat(2_001) }, 'invalid_decision'],
  ['rewind', {}, 'invalid_body'],
  ['rewind', { messageId: 'm', restoreFiles: 'no' }, 'invalid_body'],
  ['checkpoint', { label: 7 }, 'invalid_body'],
];
const shapes = {
  create: (value: unknown) => validate(value, CreateSessionRequest),
  update: (value: unknown) => validate(value, UpdateSessionRequest),
  message: (value: unknown) => validate(value, SendMessageRequest),
  decision: (value: unknown) => validate(value, DecisionRequest),
  rewind: (value: unknown) => validate(value, RewindRequest),
  checkpoint: (value: unknown) => validate(value, CreateCheckpointRequest),
};

for (const [shape, value, code] of wrong) {
  fields(`${shape} ${JSON.stringify(value).slice(0, 70)}: ${code}`, () => {
    assert.is(
      codeOf(() => shapes[shape as keyof typeof shapes](value)),
      code,
    );
  });
}

fields('of far too many images not every one is looked at', () => {
  const looked = { count: 0 };
  const image = {
    ...png,
    get data() {
      looked.count++;
      return png.data;
    },
  };
  assert.is(
    codeOf(() => shapes.message({ content: '', images: new Array(50_000).fill(image) })),
    'invalid_images',
  );
  assert.ok(looked.count < 100, `${looked.count} looks`);
});

fields('what is allowed passes: trimmed titles, data: prefixes, unknown fields, the exact limits', () => {
  assert.is(shapes.create({ title: '  Hi  ', more: 1 }).title, 'Hi');
  const prefixed = { ...png, data: `data:image/png;base64,${png.data}` };
  assert.is(shapes.message({ content: '', images: [prefixed] }).images?.[0]?.data, png.data);
  assert.is(shapes.message({ content: 'x'.repeat(200_000) }).content.length, 200_000);
  assert.is(shapes.message({ content: '', images: new Array(3).fill(imageOf(4 * mb)) }).images?.length, 3);
  assert.equal(shapes.decision({ approved: false, note: 'no' }), { approved: false, note: 'no' });
  assert.equal(shapes.create({}), {});
});

fields('the error names field, rule and path and never repeats the value', () => {
  try {
    shapes.message({ content: 'ok', images: [png, { ...png, data: 'sk-secret!' }] });
    assert.unreachable();
  } catch (error) {
    if (!isServiceError(error)) throw error;
    assert.equal(error.details, { path: 'images.1.data' });
    assert.match(error.message, '`images` must be');
    assert.not.match(JSON.stringify([error.message, error.details]), 'secret');
  }
});
fields.run();
