import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createCA, issueServing } from '@apichain/serving/certificates';
import { type Chain, startChain, waitFor } from './chain.ts';
import { call } from './http.ts';

const group = 'rolling.example.com';
const root = `/apis/${group}/v1`;
const apiServices = '/apis/apiregistration.k8s.io/v1/apiservices';
const apiService = `${apiServices}/v1.${group}`;

for (const [form, args, part] of [
  ['three services', [], 'aggregator'],
  ['one process', ['--in-process'], 'apichain'],
] as const)
  describe(`an extension API server that is replaced behind ${form}`, () => {
    let chain: Chain;
    const servers: { readonly server: Server; readonly port: number; readonly held: ServerResponse[] }[] = [];
    let caBundle: string;

    before(async function () {
      this.timeout(480_000);
      chain = await startChain({ args });
      const ca = await createCA('rolling-ca');
      caBundle = Buffer.from(ca.certificate).toString('base64');
      const { certificate: cert, key } = await issueServing(ca, 'local', ['local.default.svc']);
      for (const name of ['old', 'new']) {
        const held: ServerResponse[] = [];
        const server = createServer({ cert, key }, (request, response) => {
          response.writeHead(200, { 'content-type': 'application/json' });
          if (request.url?.includes('hold') === true) {
            response.write(`"${name} `);
            held.push(response);
          } else response.end(JSON.stringify({ resources: [], server: name }));
        });
        await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
        servers.push({ server, port: (server.address() as AddressInfo).port, held });
      }
    });
    after(async () => {
      for (const { server } of servers) {
        server.closeAllConnections();
        server.close();
      }
      await chain?.stop();
    });

    const send = async (method: string, path: string, object: unknown, type = 'application/json') => {
      const response = await call(chain, method, path, {
        body: JSON.stringify(object),
        headers: { 'content-type': type },
      });
      assert.ok(response.status < 300, response.text);
    };

    it('fails no request, and those that run finish where they began', async function () {
      this.timeout(480_000);
      const [old, next] = servers;
      assert.ok(old !== undefined && next !== undefined);
      await send('POST', '/api/v1/namespaces/default/services', {
        metadata: { name: 'local' },
        spec: { type: 'ExternalName', externalName: '127.0.0.1' },
      });
      const service = { namespace: 'default', name: 'local', port: old.port };
      const spec = { group, version: 'v1', groupPriorityMinimum: 1000, versionPriority: 15, caBundle, service };
      await send('POST', apiServices, { metadata: { name: `v1.${group}` }, spec });
      const things = async () => (await call(chain, 'GET', `${root}/things`)).text;
      await waitFor(
        async () => (await things()).includes('old'),
        15_000,
        () => 'not available',
      );
      const held = ['hold', 'hold?watch=true'].map((name) => call(chain, 'GET', `${root}/things/${name}`));
      await waitFor(
        () => old.held.length === 2,
        10_000,
        () => 'the requests have not arrived',
      );
      const seen: string[] = [];
      let isDone = false;
      const asking = (async () => {
        while (!isDone) {
          const { status, text } = await call(chain, 'GET', `${root}/things`);
          seen.push(status === 200 ? String((JSON.parse(text) as { server: string }).server) : `${status} ${text}`);
        }
      })();
      const switched = { spec: { service: { port: next.port } } };
      await send('PATCH', apiService, switched, 'application/merge-patch+json');
      await waitFor(
        () => seen.filter((name) => name === 'new').length > 10,
        10_000,
        () => `requests went to ${seen.join(' ')}`,
      );
      isDone = true;
      await asking;
      const others = [...new Set(seen)].filter((name) => name !== 'old');
      const problems = chain
        .log(part)
        .split('\n')
        .filter((line) => line.includes('will try again'));
      assert.deepEqual(others, ['new'], `${others.join(', ')}\n${problems.join('\n')}`);
      for (const response of old.held) response.end('server"');
      const texts = (await Promise.all(held)).map(({ text }) => text);
      assert.deepEqual(texts, ['"old server"', '"old server"']);
    });

    it('may be unregistered while its responses are being read', async () => {
      const [, next] = servers;
      const held = call(chain, 'GET', `${root}/things/hold?watch=true`);
      await waitFor(
        () => next?.held.length === 1,
        10_000,
        () => 'the request has not arrived',
      );
      assert.equal((await call(chain, 'DELETE', apiService)).status, 200);
      await waitFor(
        async () => (await call(chain, 'GET', `${root}/things`)).status === 404,
        10_000,
        () => 'still routed',
      );
      for (const response of next?.held ?? []) response.end('server"');
      assert.equal((await held).text, '"new server"');
    });
  });
