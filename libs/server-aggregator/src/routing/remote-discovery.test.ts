import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import { Agent, createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createCA, issueServing } from '@apichain/serving/certificates';
import type { ApiService } from '../apiservice/api-service.ts';
import { fetchDocuments } from '../openapi/fetch-documents.ts';
import { fetchDiscovery, probeDiscovery, type RemoteServer } from './remote-discovery.ts';

interface Reply {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
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
  let asked: { path: string; headers: IncomingHttpHeaders }[];

  before(async () => {
    const ca = await createCA('fruit-ca');
    const { certificate: cert, key } = await issueServing(ca, 'fruits', ['127.0.0.1']);
    server = createServer({ cert, key }, (request, response) => {
      asked.push({ path: request.url ?? '', headers: request.headers });
      const { status, headers, body = {} } = replies[request.url ?? ''] ?? { status: 404 };
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
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
    replies = { '/apis/fruit.io/v1': { status: 200 } };
    await probeDiscovery(remote, fruits);
    replies = { '/apis/fruit.io/v1': { status: 403 } };
    await assert.rejects(probeDiscovery(remote, fruits), /bad status from https:.*\/apis\/fruit.io\/v1: 403$/);
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
