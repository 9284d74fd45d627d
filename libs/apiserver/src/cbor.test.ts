import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeCbor, encodeCbor } from '@apichain/scheme';
import { createGroupVersionHandler } from './installer.ts';
import { setCborServing } from './negotiation/media-types.ts';
import { defineWidgets } from './registry/widgets.fixture.ts';
import { parseRequestInfo } from './request-info.ts';
import { attachScope, RequestScope } from './request-scope.ts';

const base = '/apis/test.example.com/v1/namespaces/ns/widgets';
const groupVersion = { group: 'test.example.com', version: 'v1' };
const widget = (name: string) => ({
  apiVersion: 'test.example.com/v1',
  kind: 'Widget',
  metadata: { name, namespace: 'ns' },
});

interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly bytes: Buffer;
}

describe('application/cbor', () => {
  let server: http.Server;

  before(async () => {
    const widgets = defineWidgets();
    const handler = createGroupVersionHandler(groupVersion, widgets.defined.storagesOf(groupVersion), { custom: true });
    server = http.createServer((request, response) => {
      const url = new URL(request.url ?? '/', 'http://localhost');
      const scope = new RequestScope(request, response, decodeURIComponent(url.pathname), url.searchParams);
      attachScope(scope);
      scope.requestInfo = parseRequestInfo(request.method ?? '', scope.path, url.searchParams);
      response.once('close', () => scope.abort(new Error('gone')));
      void handler.handle(scope, request, response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  afterEach(() => setCborServing(false));

  function open(method: string, path: string, headers: Record<string, string>, body?: Buffer) {
    const { port } = server.address() as AddressInfo;
    return new Promise<http.IncomingMessage>((resolve, reject) => {
      const request = http.request({ port, host: '127.0.0.1', method, path, headers }, resolve);
      request.once('error', reject);
      request.end(body);
    });
  }
  async function send(method: string, path: string, headers: Record<string, string>, body?: Buffer): Promise<Answer> {
    const response = await open(method, path, headers, body);
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    return {
      status: response.statusCode ?? 0,
      contentType: response.headers['content-type'] ?? '',
      bytes: Buffer.concat(chunks),
    };
  }
  const cbor = { accept: 'application/cbor', 'content-type': 'application/cbor' };

  it('is not served without its feature gate', async () => {
    const answer = await send('POST', base, { ...cbor, accept: '*/*' }, encodeCbor(widget('off')));
    assert.equal(answer.status, 415);
    assert.ok(!answer.bytes.toString().includes('cbor'));
    assert.equal((await send('GET', base, { accept: 'application/cbor' })).status, 406);
  });

  it('reads and writes objects, lists and failures', async () => {
    setCborServing(true);
    const created = await send('POST', base, cbor, encodeCbor(widget('a')));
    assert.equal(created.status, 201);
    assert.equal(created.contentType, 'application/cbor');
    assert.equal((decodeCbor(created.bytes) as { kind: string }).kind, 'Widget');
    const list = decodeCbor((await send('GET', base, cbor)).bytes) as { items: unknown[] };
    assert.equal(list.items.length, 1);
    const again = await send('POST', base, cbor, encodeCbor(widget('a')));
    assert.equal(again.status, 409);
    assert.equal((decodeCbor(again.bytes) as { reason: string }).reason, 'AlreadyExists');
    const broken = await send('POST', base, { ...cbor, accept: 'application/json' }, Buffer.from('a16161', 'hex'));
    assert.equal(broken.status, 400);
    assert.match(broken.bytes.toString(), /unable to determine group\/version\/kind: unexpected EOF/);
  });

  it('refuses an apply configuration that is no CBOR', async () => {
    setCborServing(true);
    const headers = { 'content-type': 'application/apply-patch+cbor' };
    const answer = await send('PATCH', `${base}/a?fieldManager=me`, headers, Buffer.from('ff', 'hex'));
    assert.equal(answer.status, 400);
    assert.match(answer.bytes.toString(), /error decoding patch: cbor: unexpected \\"break\\" code/);
  });

  it('watches as a sequence of items', async () => {
    setCborServing(true);
    await send('POST', base, cbor, encodeCbor(widget('w')));
    const response = await open('GET', `${base}?watch=true`, { accept: 'application/cbor' });
    assert.equal(response.headers['content-type'], 'application/cbor-seq');
    const [first] = (await once(response, 'data')) as [Buffer];
    response.destroy();
    assert.equal(first.subarray(0, 4).toString('hex'), 'd9d9f7a2');
    assert.ok(first.includes('ADDED'));
  });
});
