import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:https';
import tls from 'node:tls';
import { RestClient, httpTransport } from '@apichain/client';
import { startChain } from './start-chain.ts';
import { type TestChain } from './test-chain.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';
/** Much longer than a stop needs, and shorter than every timeout for inactive clients: 2 s for watches, 30 s for webhooks, 60 s for requests. */
const mostMs = 1_500;

const configuration = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'hangs' },
  webhooks: [
    {
      name: 'hangs.example.com',
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      timeoutSeconds: 30,
      clientConfig: { service: { name: 'hangs', namespace: 'default', path: '/' } },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }],
    },
  ],
};

describe('stop() of a test chain', function () {
  this.timeout(60_000);

  async function connection({ url, admin: { ca, cert, key } }: TestChain, head: string): Promise<tls.TLSSocket> {
    const { hostname, port } = new URL(url);
    const socket = tls.connect({ host: hostname, port: Number(port), ca, cert, key, ALPNProtocols: ['http/1.1'] });
    await once(socket, 'secureConnect');
    socket.on('error', () => undefined);
    socket.write(`${head} HTTP/1.1\r\nHost: x\r\n`);
    return socket;
  }

  async function stopsSoon(chain: TestChain): Promise<void> {
    const since = performance.now();
    await chain.stop();
    const took = performance.now() - since;
    assert.ok(took < mostMs, `${took.toFixed(0)} ms`);
  }

  it('does not wait for a client that has stopped reading its watch', async () => {
    const chain = await startChain();
    const socket = await connection(chain, `GET ${configMaps}?watch=true`);
    socket.write('\r\n');
    socket.pause();
    const { url, admin } = chain;
    const client = new RestClient(httpTransport({ url, ca: admin.ca, cert: admin.cert, key: admin.key }));
    const resource = { group: '', version: 'v1', resource: 'configmaps', namespace: 'default' };
    for (let i = 0; i < 40; i++) {
      const metadata = { name: `a${i}` };
      await client.create(resource, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata,
        data: { a: 'x'.repeat(500_000) },
      });
    }
    await stopsSoon(chain);
    await client.close();
    socket.destroy();
  });

  it('does not wait for the rest of a body', async () => {
    const chain = await startChain();
    const socket = await connection(chain, `POST ${configMaps}`);
    socket.write('Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{');
    await stopsSoon(chain);
    socket.destroy();
  });

  it('does not wait for a webhook that does not respond', async () => {
    const called = Promise.withResolvers<void>();
    const hangs = () => {
      called.resolve();
      return new Promise<never>(() => undefined);
    };
    const chain = await startChain({ webhooks: { configurations: [configuration], handlers: { '/': hangs } } });
    const { ca, cert, key } = chain.admin;
    const outgoing = request(`${chain.url}${configMaps}`, {
      method: 'POST',
      ca,
      cert,
      key,
      agent: false,
      headers: { 'content-type': 'application/json' },
    });
    outgoing.on('error', () => undefined);
    outgoing.end(JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }));
    await called.promise;
    await stopsSoon(chain);
  });
});
