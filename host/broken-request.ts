import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { requestIdHeader, requestIdOf } from '../lib/http/request-id.ts';
import { errorResponse, ServiceError } from '../lib/wire/errors.ts';

/** Bytes that are no HTTP request, or not a whole one in time, never become one: answered on the raw socket, which ends. */
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const answer = errorResponse(refusalOf(error.code));
  const head = `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}\r\n`;
  answer.text().then((body) => {
    const fields = [...answer.headers, ['content-length', Buffer.byteLength(body)], ['connection', 'close']];
    socket.end(`${head}${fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`);
  });
}

/** By the codes of Node's parser and of its look at connections that are too slow. */
function refusalOf(code: string | undefined): ServiceError {
  const headers = { [requestIdHeader]: requestIdOf(undefined) };
  if (code === 'HPE_HEADER_OVERFLOW')
    return new ServiceError('payload_too_large', 'The request headers are larger than 16 KB.', { headers });
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new ServiceError('request_timeout', 'The request did not arrive in time: send it again.', { headers });
  return new ServiceError('bad_path', 'This is not a well-formed HTTP request.', { headers });
}
