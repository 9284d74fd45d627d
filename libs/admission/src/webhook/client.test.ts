import assert from 'node:assert/strict';
import { UnusableClientError, WebhookClient } from './client.ts';

describe('the client of webhooks', () => {
  it('asks nobody when the authorities cannot be read', async () => {
    const resolved: string[] = [];
    const client = new WebhookClient({
      resolve(_namespace, name) {
        resolved.push(name);
        throw new Error(`service "${name}" not found`);
      },
    });
    const service = { namespace: 'n', name: 's' };
    const post = (clientConfig: object) => client.post(clientConfig, {}, { timeoutMs: 1000, tellTimeout: true });
    await assert.rejects(post({ service, caBundle: Buffer.from('abc').toString('base64') }), (error) => {
      assert.ok(error instanceof UnusableClientError);
      assert.equal(error.message, 'unable to load root certificates: unable to parse bytes as PEM block');
      return true;
    });
    assert.deepEqual(resolved, []);
    await assert.rejects(
      post({ service }),
      /^Error: Post "https:\/\/s\.n\.svc:443\/\?timeout=1s": service "s" not found$/,
    );
    client.close();
  });
});
