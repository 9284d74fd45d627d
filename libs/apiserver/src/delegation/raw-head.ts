import type { ServerResponse } from 'node:http';

/** Writes the head of an answer that came from elsewhere; `headers` is a flat list. */
export function writeRawHead(response: ServerResponse, status: number, headers: string[]): void {
  if (response.req.httpVersionMajor === 1) {
    response.writeHead(status, headers);
    return;
  }
  for (let i = 0; i < headers.length; i += 2) response.removeHeader(headers[i] ?? '');
  for (let i = 0; i + 1 < headers.length; i += 2) response.appendHeader(headers[i] ?? '', headers[i + 1] ?? '');
  response.writeHead(status);
}
