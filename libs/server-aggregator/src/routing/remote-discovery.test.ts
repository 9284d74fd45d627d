import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import { Agent, createServer, type Server } from 'node:https';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { freePort } from '@apichain/meta';
import { createCA, issueServing } from '@apichain/serving/certificates';
import type { ApiService } from '../apiservice/api-service.ts';
import { fetchDocuments } from '../openapi/fetch-documents.ts';
import { fetchDiscovery, probeDiscovery, type RemoteServer } from './remote-discovery.ts';

interface Reply {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
  /** A byte a second, without an end. */
  readonly trickles?: boolean;
}

const fruits: ApiService = {
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name: 'v1.fruit.io' },
  spec: {
    group: 'fruit.io',
    version: 'v1',
    groupPriorityMinimum: 1000,
    versionPriority: 10,
    service: { namespace: 'shop', name: 'fruits' },
  },
};
const aggregated = (version: string) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
const resource = {
  resource: 'fruits',
  responseKind: { group: 'fruit.io', version: 'v1', kind: 'Fruit' },
  scope: 'Namespaced',
  singularResource: 'fruit',
  verbs: ['get'],
};
const groups = (name: string) => ({
  items: [{ metadata: { name }, versions: [{ version: 'v1', resources: [resource] }] }],
});

describe('the discovery of an extension API server', () => {
  let server: Server;
  let remote: RemoteServer & { agent: Agent };
  let replies: Record<string, Reply>;
  let deadPort: number;
  let asked: { path: string; headers: IncomingHttpHeaders }[];

  before(async () => {
    deadPort = await freePort();
    const ca = await createCA('fruit-ca');
    const { certificate: cert, key } = await issueServing(ca, 'fruits', ['127.0.0.1']);
    server = createServer({ cert, key }, (request, response) => {
      asked.push({ path: request.url ?? '', headers: request.headers });
      const { status, headers, body = {}, trickles }: Reply = replies[request.url ?? ''] ?? { status: 404 };
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      if (trickles === true) {
        const timer = setInterval(() => response.write(' '), 1_000);
        response.on('close', () => clearInterval(timer));
        return;
      }
      response.end(status === 304 ? undefined : JSON.stringify(body));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  after(() => {
    server?.closeAllConnections();
    server?.close();
  });
  beforeEach(() => {
    const { port } = server.address() as AddressInfo;
    remote = { agent: new Agent({ rejectUnauthorized: false }), location: () => ({ host: '127.0.0.1', port }) };
    replies = {};
    asked = [];
  });
  afterEach(() => remote.agent.destroy());

  const header = (name: string) => asked.map(({ headers }) => headers[name]);

  it('is the document of all its groups, asked for again only when it has changed', async () => {
    const headers = { 'content-type': aggregated('v2'), etag: '"A"' };
    replies = { '/apis': { status: 200, headers, body: groups('fruit.io') } };
    const discovery = { version: 'v1', resources: [resource], freshness: 'Current' };
    assert.deepEqual(await fetchDiscovery(remote, fruits), discovery);
    replies = { '/apis': { status: 304 } };
    assert.deepEqual(await fetchDiscovery(remote, fruits), discovery);
    assert.deepEqual(header('if-none-match'), [undefined, '"A"']);
    assert.equal(asked[0]?.headers.accept, `${aggregated('v2')},${aggregated('v2beta1')}`);
    assert.deepEqual(header('x-remote-user'), ['system:kube-aggregator', 'system:kube-aggregator']);
    assert.deepEqual(header('x-remote-group'), ['system:masters', 'system:masters']);
  });

  it('may be an older form of it, and may leave out the group-version', async () => {
    const headers = { 'content-type': aggregated('v2beta1') };
    replies = { '/apis': { status: 200, headers, body: groups('fruit.io') } };
    assert.deepEqual((await fetchDiscovery(remote, fruits)).resources, [resource]);
    replies = { '/apis': { status: 200, headers, body: groups('other.io') } };
    assert.deepEqual(await fetchDiscovery(remote, fruits), { version: 'v1', freshness: 'Current' });
    assert.deepEqual(header('if-none-match'), [undefined, undefined]);
  });

  it('has an empty kind for resources and subresources without one', async () => {
    const { responseKind, ...unkinded } = resource;
    const subresources = [
      { subresource: 'ripe', verbs: ['get'] },
      { subresource: 'sold', responseKind, verbs: ['get'] },
    ];
    const versions = [{ version: 'v1', resources: [{ ...unkinded, subresources }] }];
    const body = { items: [{ metadata: { name: 'fruit.io' }, versions }] };
    replies = { '/apis': { status: 200, headers: { 'content-type': aggregated('v2') }, body } };
    const { resources } = await fetchDiscovery(remote, fruits);
    const none = { group: '', version: '', kind: '' };
    assert.deepEqual(resources?.[0]?.responseKind, none);
    assert.deepEqual(
      resources[0]?.subresources?.map((subresource) => subresource.responseKind),
      [none, responseKind],
    );
  });

  it('is that of the group-version where there is no such document, asked for without rights', async () => {
    const list = {
      resources: [{ name: 'fruits', singularName: 'fruit', namespaced: true, kind: 'Fruit', verbs: ['get'] }],
    };
    replies = {
      '/apis': { status: 200, body: { kind: 'APIGroupList' } },
      '/apis/fruit.io/v1': { status: 200, body: list },
    };
    assert.deepEqual(await fetchDiscovery(remote, fruits), {
      version: 'v1',
      resources: [resource],
      freshness: 'Current',
    });
    assert.deepEqual(header('x-remote-group'), ['system:masters', undefined]);
    replies['/apis/fruit.io/v1'] = { status: 200, body: {} };
    assert.deepEqual(await fetchDiscovery(remote, fruits), { version: 'v1', resources: [], freshness: 'Current' });
    replies['/apis/fruit.io/v1'] = { status: 200, body: { resources: 'many' } };
    await assert.rejects(
      fetchDiscovery(remote, fruits),
      /discovery for \/apis\/fruit.io\/v1 has no list of resources$/,
    );
    delete replies['/apis/fruit.io/v1'];
    await assert.rejects(
      fetchDiscovery(remote, fruits),
      /failed to download legacy discovery for \/apis\/fruit.io\/v1/,
    );
  });

  it('is not looked for elsewhere while the server is unavailable', async () => {
    replies = { '/apis': { status: 503 } };
    await assert.rejects(fetchDiscovery(remote, fruits), {
      message: 'service shop/fruits:443 returned non-success response code: 503',
    });
    assert.equal(asked.length, 1);
  });

  it('tells whether it is available, whatever it says', async () => {
    await assert.rejects(probeDiscovery(remote, fruits));
    assert.deepEqual(header('accept'), [undefined]);
    replies = { '/apis/fruit.io/v1': { status: 200 } };
    await probeDiscovery(remote, fruits);
    replies = { '/apis/fruit.io/v1': { status: 403 } };
    await assert.rejects(probeDiscovery(remote, fruits), /bad status from https:.*\/apis\/fruit.io\/v1: 403$/);
  });

  it('is probed at several addresses, of which one must respond', async () => {
    replies = { '/apis/fruit.io/v1': { status: 200 } };
    const { port } = server.address() as AddressInfo;
    const places = [deadPort, port, deadPort, port, deadPort];
    await probeDiscovery({ ...remote, location: () => ({ host: '127.0.0.1', port: places.pop() ?? 0 }) }, fruits);
    assert.equal(asked.length, 1, 'each address once');
    const refused = new RegExp(`dial tcp 127.0.0.1:${deadPort}: connect: connection refused$`);
    const gone = { ...remote, location: () => ({ host: '127.0.0.1', port: deadPort }) };
    await assert.rejects(probeDiscovery(gone, fruits), refused);
  });

  it('is not available while the server speaks no TLS, never responds, or never ends its response', async () => {
    const url = (port: number) => `https://127.0.0.1:${port}/apis/fruit.io/v1`;
    const probed = async (onConnection: (socket: Socket) => void): Promise<string> => {
      const other = createTcpServer(onConnection);
      await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
      const { port } = other.address() as AddressInfo;
      try {
        await probeDiscovery({ ...remote, location: () => ({ host: '127.0.0.1', port }) }, fruits);
        return 'available';
      } catch (error) {
        return (error as Error).message.replaceAll(url(port), 'URL');
      } finally {
        other.close();
      }
    };
    const prefix = 'failing or missing response from URL: Get "URL": ';
    const plain = await probed((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    assert.equal(plain, `${prefix}http: server gave HTTP response to HTTPS client`);
    const started = performance.now();
    replies = { '/apis/fruit.io/v1': { status: 200, trickles: true } };
    const [silent, trickling] = await Promise.all([
      probed(() => undefined),
      probeDiscovery(remote, fruits).catch((error: unknown) => (error as Error).message),
    ]);
    assert.equal(silent, `${prefix}context deadline exceeded`);
    assert.match(String(trickling), /context deadline exceeded \(Client.Timeout exceeded while awaiting headers\)$/);
    assert.ok(performance.now() - started < 60_000, 'both end with the timeout of 5 s');
  });

  it('comes with documents that need no rights', async () => {
    replies = { '/openapi/v2': { status: 200, body: { swagger: '2.0', paths: {} } } };
    assert.equal((await fetchDocuments(remote, fruits))?.path, 'apis/fruit.io/v1');
    assert.deepEqual(header('x-remote-user'), ['system:aggregator', 'system:aggregator']);
    assert.deepEqual(header('x-remote-group'), [undefined, undefined]);
    replies = {};
    assert.equal(await fetchDocuments(remote, fruits), undefined, 'it has none');
  });
});
