import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { JoinedBytes } from './joined-bytes.ts';
import { sendPieces } from './send-pieces.ts';

describe('sendPieces', () => {
  const items = Array.from({ length: 2_000 }, (_, i) => Buffer.from(`"${String(i).padStart(2_000, '0')}"`));
  const body = new JoinedBytes(Buffer.from('['), items, [], Buffer.from(']'));
  let server: http.Server;
  let url: string;
  let sent: Promise<void>[] = [];

  beforeEach(async () => {
    sent = [];
    server = http.createServer((_request, response) => {
      response.setHeader('Content-Length', body.length);
      sent.push(sendPieces(response, body));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  it('sends the whole body to each of several clients', async () => {
    const expected = body.toBuffer().toString();
    const texts = await Promise.all([1, 2, 3].map(async () => (await fetch(url)).text()));
    for (const text of texts) assert.ok(text === expected);
    await Promise.all(sent);
  });

  it('stops when the client disconnects', async () => {
    const request = http.get(url);
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    response.destroy();
    await Promise.all(sent);
    assert.equal(sent.length, 1);
  });
});
