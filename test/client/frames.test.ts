import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createFrameParser, type Frame } from '../../lib/client/frames.ts';

const test = suite('event-stream text is read however it is cut');

function read(chunks: string[]) {
  const frames: Frame[] = [];
  const retries: number[] = [];
  const parse = createFrameParser({ onFrame: (frame) => frames.push(frame), onRetry: (ms) => retries.push(ms) });
  for (const chunk of chunks) parse(chunk);
  return { frames, retries };
}

const text = 'retry: 3000\n\n: ping\n\nid: 7\ndata: {"a":1}\n\ndata:two\ndata: lines\n\nid\nevent: x\ndata: last\n\n';
const expected = {
  frames: [
    { id: '7', data: '{"a":1}' },
    { id: '7', data: 'two\nlines' },
    { id: '', data: 'last' },
  ],
  retries: [3000],
};

test('a pause that no timer knows is none', () => {
  assert.equal(read(['retry: 99999999999\nretry: 1e3\nretry: 999999999\n\n']).retries, [999_999_999]);
});

for (const newline of ['\n', '\r\n', '\r'])
  test(`line ends ${JSON.stringify(newline)}, whole, byte by byte and cut once anywhere`, () => {
    // The lone CR at the very end stays undecided, as it may be half of a CRLF: a following frame settles it.
    const whole = text.replaceAll('\n', newline) + (newline === '\r' ? ':' : '');
    assert.equal(read([whole]), expected);
    assert.equal(read([...whole]), expected);
    for (let at = 1; at < whole.length; at++) assert.equal(read([whole.slice(0, at), whole.slice(at)]), expected);
  });

test('a frame without its empty line is not dispatched', () => {
  assert.equal(read(['data: a\n']).frames, []);
});

test('a bad retry and an id with NUL are ignored', () => {
  const { frames, retries } = read(['retry: soon\nid: a\0b\ndata: x\n\n']);
  assert.equal(retries, []);
  assert.equal(frames, [{ id: undefined, data: 'x' }]);
});

test('a line of megabytes in many chunks is read once', () => {
  const frames: string[] = [];
  const feed = createFrameParser({ onFrame: ({ data }) => frames.push(data), onRetry() {} });
  const chunk = 'x'.repeat(1_024);
  feed('data: ');
  for (let count = 0; count < 16 * 1_024; count++) feed(chunk);
  feed('\r');
  feed('\n\r\n');
  assert.is(frames[0]?.length, 16 * 1_024 * 1_024);
});

test.run();
