import { writeSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { createTestCertificates, startTestServer } from './server.fixture.ts';

/*
 * A server in a separate process that ends as the programs do. `POST /commit/NAME` reads its body, works for some milliseconds, commits by a line
 * `committed NAME` on standard output, and answers 201. `GET /large` returns 8 MiB. It prints `ready URL` when it is ready.
 */

const large = Buffer.alloc(8 * 1024 * 1024, 'x');

async function lengthOf(request: IncomingMessage): Promise<number> {
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) length += chunk.length;
  return length;
}

const { server, url } = await startTestServer(
  await createTestCertificates(),
  { authorizer: { authorize: () => ({ decision: 'Allow', reason: '' }) } },
  (created) => {
    created.paths.handlePrefix('/commit/', async (_context, request, response) => {
      const length = await lengthOf(request);
      await delay(Math.random() * 10);
      writeSync(1, `committed ${(request.url ?? '').slice('/commit/'.length)}\n`);
      await delay(Math.random() * 10);
      response.writeHead(201, { 'Content-Type': 'text/plain' });
      response.end('x'.repeat(length));
    });
    created.paths.handle('/large', (_context, _request, response) => void response.end(large));
  },
);

process.once('SIGTERM', () => {
  void server.shutdown().then(() => process.exit(0));
});
process.stdout.write(`ready ${url}\n`);
