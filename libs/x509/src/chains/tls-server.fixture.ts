import { once } from 'node:events';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { pemOf, type ClientChain } from './chains.fixture.ts';

/** An HTTPS server that presents a chain and answers every request with 200. */
export async function serveWith({
  presented,
  key,
}: ClientChain): Promise<{ readonly port: number; readonly close: () => void }> {
  const server = https.createServer(
    // The client decides about the server's keys and certificates, not OpenSSL.
    { cert: pemOf(presented), key: key.export({ type: 'pkcs8', format: 'pem' }), ciphers: 'DEFAULT@SECLEVEL=0' },
    (_request, response) => response.end('{}'),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { port, close };
}
