import assert from 'node:assert/strict';
import { inProcessTransport } from './in-process-transport.ts';

describe('inProcessTransport', () => {
  it('sends the body of every method, a DELETE included', async () => {
    const transport = inProcessTransport(
      (request, response) => {
        const chunks: Buffer[] = [];
        request.on('data', (chunk: Buffer) => chunks.push(chunk));
        request.on('end', () => response.end(`${request.method ?? ''} ${Buffer.concat(chunks).toString()}`));
      },
      { 'User-Agent': 'test' },
    );
    for (const method of ['POST', 'DELETE'] as const) {
      const { body } = await transport.send({ method, path: '/x', body: '{"kind":"\u00e9"}' });
      const chunks: Buffer[] = [];
      for await (const chunk of body) chunks.push(chunk);
      assert.equal(Buffer.concat(chunks).toString(), `${method} {"kind":"\u00e9"}`);
    }
    await transport.close();
  });
});
