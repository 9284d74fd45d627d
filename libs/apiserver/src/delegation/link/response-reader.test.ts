import assert from 'node:assert/strict';
import fc from 'fast-check';
import { LinkProtocolError, ResponseReader } from './response-reader.ts';
import { WholeResponses, type LinkResponse } from './whole-response.ts';

const responses =
  'HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n' +
  'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\ncontent-length: 5\r\nConnection: keep-alive\r\nKeep-Alive: timeout=90\r\n\r\n{"a":' +
  'HTTP/1.1 404 Not Found\r\nWarning: 299 - "a"\r\nWarning: 299 - "b"\r\nTransfer-Encoding: chunked\r\n\r\n' +
  '3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\nTrailer: t\r\n\r\n' +
  'HTTP/1.1 204 No Content\r\n\r\n' +
  'HTTP/1.1 500 \r\nConnection: close\r\n\r\nuntil the end';

function readInPieces(sizes: readonly number[]): LinkResponse[] {
  const all: LinkResponse[] = [];
  const reader = new ResponseReader(new WholeResponses((response) => all.push(response)));
  const bytes = Buffer.from(responses);
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const end = at + (sizes[i % sizes.length] ?? 1);
    // As a connection reads: the next bytes come where these were.
    const received = Buffer.from(bytes.subarray(at, end));
    reader.read(received);
    received.fill('#');
    at = end;
  }
  reader.end();
  return all;
}

const expected = [
  { status: 200, headers: ['Content-Type', 'application/json', 'content-length', '5'], body: '{"a":', keepAlive: true },
  { status: 404, headers: ['Warning', '299 - "a"', 'Warning', '299 - "b"'], body: 'abc0123456789', keepAlive: true },
  { status: 204, headers: [], body: '', keepAlive: true },
  { status: 500, headers: [], body: 'until the end', keepAlive: false },
];

describe('ResponseReader', () => {
  it('reads responses one behind the other, wherever the bytes are cut', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 20 }), (sizes) => {
        const read = readInPieces(sizes).map((response) => ({ ...response, body: response.body.toString() }));
        assert.deepEqual(read, expected);
      }),
      { numRuns: 200 },
    );
  });

  it('refuses what is no response, or one whose end cannot be told', () => {
    for (const text of [
      'SSH-2.0-OpenSSH\r\n\r\n',
      'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n',
      'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n',
      'HTTP/1.1 200 OK\r\nno colon\r\n\r\n',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n',
    ]) {
      const reader = new ResponseReader(new WholeResponses(() => undefined));
      assert.throws(() => reader.read(Buffer.from(text)), LinkProtocolError, text);
    }
  });
});
