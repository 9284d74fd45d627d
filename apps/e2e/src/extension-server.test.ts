import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:https';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import tls, { type TLSSocket } from 'node:tls';
import { createCA, issueServing } from '@apichain/serving/certificates';
import { type Chain, startChain, waitFor } from './chain.ts';
import { call as callHttp1 } from './http.ts';
import { callHttp2 } from './http2.ts';
import { Kubectl } from './kubectl.ts';
import { requireKubectl } from './requirements.ts';

const group = 'fruits.example.com';
const root = `/apis/${group}/v1`;

for (const [protocol, call] of [
  ['HTTP/1.1', callHttp1],
  ['HTTP/2', callHttp2],
] as const)
  describe(`an extension API server behind ${protocol}`, () => {
    let chain: Chain;
    let extension: Server;
    let port: number;
    let caBundle: string;
    let documents: Record<string, unknown>;
    const seen: { path: string; headers: IncomingHttpHeaders; clientName: string | undefined }[] = [];

    before(async () => {
      chain = await startChain();
      const ca = await createCA('fruit-ca');
      const serving = await issueServing(ca, 'fruits', ['fruits.default.svc']);
      caBundle = Buffer.from(ca.certificate).toString('base64');
      documents = {
        [root]: {
          kind: 'APIResourceList',
          apiVersion: 'v1',
          groupVersion: `${group}/v1`,
          resources: [
            { name: 'fruits', singularName: 'fruit', namespaced: false, kind: 'Fruit', verbs: ['get', 'list'] },
          ],
        },
        '/openapi/v2': {
          swagger: '2.0',
          paths: { [`${root}/fruits`]: { get: { operationId: 'listFruits', responses: {} } } },
          definitions: {},
        },
        '/openapi/v3': {
          paths: { [`apis/${group}/v1`]: { serverRelativeURL: `/openapi/v3/apis/${group}/v1?hash=A` } },
        },
        [`/openapi/v3/apis/${group}/v1`]: { openapi: '3.0.0', paths: { [`${root}/fruits`]: {} } },
        [`${root}/fruits`]: { kind: 'FruitList', apiVersion: `${group}/v1`, metadata: {}, items: [] },
      };
      extension = createServer(
        { cert: serving.certificate, key: serving.key, requestCert: true, rejectUnauthorized: false },
        (request, response) => {
          const path = request.url ?? '';
          const clientName = (request.socket as TLSSocket).getPeerCertificate().subject?.CN;
          seen.push({
            path,
            headers: request.headers,
            clientName: Array.isArray(clientName) ? clientName[0] : clientName,
          });
          if (path.includes('watch=true')) {
            response.writeHead(200, { 'content-type': 'application/json' });
            response.write('{"type":"ADDED"}\n');
            setTimeout(() => response.end('{"type":"DELETED"}\n'), 100);
            return;
          }
          if (path.endsWith('/echo')) {
            response.writeHead(201, { Trailer: 'X-Late', 'X-Length': request.headers['content-length'] ?? '' });
            response.addTrailers({ 'X-Late': '1' });
            request.pipe(response);
            return;
          }
          if (path.endsWith('/nothing')) {
            response.writeHead(204).end();
            return;
          }
          if (path.endsWith('/unchanged')) {
            response.writeHead(304, { etag: '"1"' }).end();
            return;
          }
          if (path.endsWith('/half')) {
            response.writeHead(200).write('half', () => response.destroy());
            return;
          }
          if (path.endsWith('/moved')) {
            response.writeHead(302, { location: 'https://elsewhere.example.com/' });
            response.end();
            return;
          }
          const document = documents[path.split('?')[0] ?? ''];
          response.writeHead(document === undefined ? 404 : 200, { 'content-type': 'application/json' });
          response.end(JSON.stringify(document ?? { kind: 'Status', code: 404 }));
        },
      );
      extension.on('upgrade', (request: IncomingMessage, socket: Duplex) => {
        const protocolOf = request.headers.upgrade ?? '';
        socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${protocolOf}\r\n\r\n`);
        socket.on('data', (chunk: Buffer) => socket.end(`you said ${chunk.toString()}`));
        socket.on('error', () => socket.destroy());
      });
      await new Promise<void>((resolve) => extension.listen(0, '127.0.0.1', resolve));
      port = (extension.address() as { port: number }).port;
    });
    after(async () => {
      extension?.closeAllConnections();
      extension?.close();
      await chain?.stop();
    });

    const create = async (path: string, object: unknown) => {
      const response = await call(chain, 'POST', path, { body: JSON.stringify(object) });
      assert.equal(response.status, 201, response.text);
    };
    const available = async () => {
      const { status } = (await call(chain, 'GET', `/apis/apiregistration.k8s.io/v1/apiservices/v1.${group}`)).json<{
        status?: { conditions?: { type: string; status: string; reason: string; message: string }[] };
      }>();
      return status?.conditions?.find((condition) => condition.type === 'Available');
    };

    it('is proxied with the identity of the caller and listed in discovery', async () => {
      await create('/api/v1/namespaces/default/services', {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'fruits' },
        spec: { type: 'ExternalName', externalName: 'localhost' },
      });
      await create('/apis/apiregistration.k8s.io/v1/apiservices', {
        apiVersion: 'apiregistration.k8s.io/v1',
        kind: 'APIService',
        metadata: { name: `v1.${group}` },
        spec: {
          group,
          version: 'v1',
          groupPriorityMinimum: 1000,
          versionPriority: 15,
          caBundle,
          service: { namespace: 'default', name: 'fruits', port },
        },
      });
      await waitFor(
        async () => (await available())?.status === 'True',
        15_000,
        () => `not available\n${chain.output()}`,
      );

      const forged = {
        'x-remote-user': 'mallory',
        'x-remote-group': 'system:forged',
        'x-remote-extra-a': 'b',
        ...(protocol === 'HTTP/1.1' ? { connection: 'x-remote-user, x-remote-group, x-own' } : {}),
        'x-own': 'mine',
        'impersonate-user': 'kubernetes-admin',
        'impersonate-group': 'system:masters',
      };
      const list = await call(chain, 'GET', `${root}/fruits`, { headers: forged });
      assert.equal(list.status, 200, list.text);
      assert.equal(list.json()['kind'], 'FruitList');
      const request = seen.findLast((entry) => entry.path === `${root}/fruits`);
      assert.equal(request?.headers['x-remote-user'], 'kubernetes-admin');
      assert.equal(request?.headers['x-remote-group'], 'system:masters, system:authenticated');
      assert.equal(request?.headers['x-remote-extra-a'], undefined);
      assert.equal(request?.headers['x-own'], protocol === 'HTTP/1.1' ? undefined : 'mine');
      assert.ok(
        !Object.keys(request?.headers ?? {}).some((name) => name.startsWith('impersonate-') || name.startsWith(':')),
      );
      assert.equal(request?.clientName, 'front-proxy-client');
      assert.equal(request?.headers.authorization, undefined);

      const asked = await call(chain, 'GET', `${root}/fruits?b=2&a=%2f`, {
        headers: { 'x-forwarded-for': '192.0.2.1' },
      });
      const forwarded = seen.findLast((entry) => entry.path.startsWith(`${root}/fruits?`));
      assert.equal(forwarded?.path, `${root}/fruits?a=%2F&b=2`);
      assert.equal(forwarded?.headers['x-forwarded-for'], '192.0.2.1, 127.0.0.1');
      assert.equal(forwarded?.headers['x-forwarded-host'], `localhost:${port}`);
      assert.equal(forwarded?.headers['x-forwarded-uri'], `${root}/fruits`);
      assert.equal(forwarded?.headers['audit-id'], asked.headers['audit-id']);

      const moved = await call(chain, 'GET', `${root}/moved`);
      assert.equal(moved.status, 502);
      assert.equal(moved.text, 'the backend attempted to redirect this request, which is not permitted');
      assert.equal(moved.headers.location, undefined);

      const groups = (await call(chain, 'GET', '/apis')).json<{ groups: { name: string }[] }>().groups;
      assert.ok(groups.some(({ name }) => name === group));
      const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
      const { items } = (await call(chain, 'GET', '/apis', { headers: { accept } })).json<{
        items: { metadata: { name: string }; versions: { freshness: string; resources: { resource: string }[] }[] }[];
      }>();
      const found = items.find((item) => item.metadata.name === group);
      assert.deepEqual(
        found?.versions.map(({ freshness, resources }) => [freshness, resources.map(({ resource }) => resource)]),
        [['Current', ['fruits']]],
      );
    });

    it('receives every kind of request, and its responses are forwarded', async function () {
      requireKubectl(this);
      const watch = await call(chain, 'GET', `${root}/fruits?watch=true`);
      assert.equal(watch.text, '{"type":"ADDED"}\n{"type":"DELETED"}\n');
      for (const body of ['small', 'x'.repeat(400_000)]) {
        const echoed = await call(chain, 'POST', `${root}/echo`, { body });
        assert.deepEqual([echoed.status, echoed.text === body], [201, true]);
      }
      const removed = await call(chain, 'DELETE', `${root}/echo`, { body: '{}' });
      assert.deepEqual([removed.status, removed.text], [201, '{}']);
      assert.deepEqual(
        [(await call(chain, 'HEAD', `${root}/fruits`)).status, (await call(chain, 'HEAD', `${root}/no`)).status],
        [200, 404],
      );
      assert.equal((await call(chain, 'GET', `${root}/nothing`)).status, 204);
      const unchanged = await call(chain, 'GET', `${root}/unchanged`);
      assert.deepEqual([unchanged.status, unchanged.headers['etag']], [304, '"1"']);
      await assert.rejects(call(chain, 'GET', `${root}/half`));
      const kubectl = new Kubectl(chain);
      assert.match(await kubectl.ok(['get', '--raw', `${root}/fruits`]), /FruitList/);
      assert.match(await kubectl.fails(['get', 'fruits', '-n', 'default', 'apple']), /404|NotFound|not find/);
      for (const upgrade of ['websocket', 'SPDY/3.1'])
        assert.match(await upgraded(upgrade), /101 .*you said hi$/s, upgrade);
    });

    /** The data received over an upgraded connection after `hi` was sent over it. */
    function upgraded(upgrade: string): Promise<string> {
      const { hostname: host, port: on } = new URL(chain.url);
      const { ca, cert, key } = chain.admin;
      return new Promise((resolve, reject) => {
        const socket = tls.connect({ host, port: Number(on), ca, cert, key, ALPNProtocols: ['http/1.1'] });
        let text = '';
        socket.on('data', (chunk: Buffer) => {
          if (text === '' && chunk.toString().startsWith('HTTP/1.1 101')) socket.write('hi');
          text += chunk.toString();
        });
        socket.on('close', () => resolve(text));
        socket.on('error', reject);
        const method = upgrade === 'websocket' ? 'GET' : 'POST';
        socket.write(
          `${method} ${root}/fruits/a/exec HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: ${upgrade}\r\n\r\n`,
        );
      });
    }

    it('is described in the OpenAPI documents of the chain', async () => {
      const path = `apis/${group}/v1`;
      const index = async () =>
        (await call(chain, 'GET', '/openapi/v3')).json<{ paths: Record<string, { serverRelativeURL: string }> }>();
      await waitFor(
        async () => (await index()).paths[path] !== undefined,
        10_000,
        () => 'not listed',
      );
      for (const hook of ['apiservice-openapi-controller', 'apiservice-openapiv3-controller'])
        assert.equal((await call(chain, 'GET', `/readyz/poststarthook/${hook}`)).status, 200);
      const { paths } = await index();
      assert.ok(paths['apis/apps/v1'], 'what the chain serves is listed too');
      const document = await call(chain, 'GET', paths[path]?.serverRelativeURL ?? '');
      assert.deepEqual(document.json(), { openapi: '3.0.0', paths: { [`${root}/fruits`]: {} } });
      const merged = (await call(chain, 'GET', '/openapi/v2')).json<{ paths: Record<string, unknown> }>();
      assert.ok(
        merged.paths[`${root}/fruits`] !== undefined && merged.paths['/apis/apps/v1/deployments'] !== undefined,
      );
    });

    it('is described in them even if its discovery cannot be read', async () => {
      const path = `apis/${group}/v2`;
      Object.assign(documents, {
        [`/${path}`]: { resources: 'many' },
        '/openapi/v3': { paths: { [path]: { serverRelativeURL: `/openapi/v3/${path}` } } },
        [`/openapi/v3/${path}`]: { openapi: '3.0.0', paths: {} },
      });
      await create('/apis/apiregistration.k8s.io/v1/apiservices', {
        apiVersion: 'apiregistration.k8s.io/v1',
        kind: 'APIService',
        metadata: { name: `v2.${group}` },
        spec: {
          ...{ group, version: 'v2', caBundle, groupPriorityMinimum: 1000, versionPriority: 10 },
          service: { namespace: 'default', name: 'fruits', port },
        },
      });
      await waitFor(
        async () =>
          (await call(chain, 'GET', '/openapi/v3')).json<{ paths: Record<string, unknown> }>().paths[path] !==
          undefined,
        10_000,
        () => 'not listed',
      );
      assert.equal(
        (await call(chain, 'DELETE', `/apis/apiregistration.k8s.io/v1/apiservices/v2.${group}`)).status,
        200,
      );
    });

    it('returns 503 when it is down, without effect on other groups', async () => {
      extension.closeAllConnections();
      await new Promise((resolve) => extension.close(resolve));
      const gone = await call(chain, 'GET', `${root}/fruits`);
      assert.equal(gone.status, 503, gone.text);
      assert.equal((await call(chain, 'GET', '/api/v1/namespaces/default')).status, 200);
      assert.equal((await call(chain, 'GET', '/apis')).status, 200);
      assert.equal((await call(chain, 'GET', '/readyz')).status, 200);
      await waitFor(
        async () => (await available())?.reason === 'FailedDiscoveryCheck',
        45_000,
        () => 'the APIService was not marked as unavailable',
      );
      const refused = await call(chain, 'GET', `${root}/fruits`);
      assert.deepEqual([refused.status, refused.text.trim()], [503, 'service unavailable']);
    });
  });
