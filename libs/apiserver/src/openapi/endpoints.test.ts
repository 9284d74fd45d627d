import assert from 'node:assert/strict';
import { gunzipSync } from 'node:zlib';
import type { JsonObject } from '@apichain/meta';
import { HttpDelegationTarget } from '@apichain/delegation';
import { call, createTestCertificates, startTestServer, type TestCertificates } from '../server.fixture.ts';
import type { OpenApiSource } from './source.ts';

const source = (...paths: string[]): OpenApiSource => ({
  revision: paths.join(),
  v2: async () => ({
    swagger: '2.0',
    paths: Object.fromEntries(paths.map((path) => [`/${path}/`, {}])),
    definitions: Object.fromEntries(paths.map((path) => [path, { description: path.repeat(200) }])),
  }),
  v3Paths: () => new Map(paths.map((path) => [path, '1'])),
  v3: async (path) => ({ openapi: '3.0.0', paths: { [`/${path}/`]: {} } }),
});
const encode = async (version: string, document: JsonObject) =>
  Buffer.from(`${version} ${Object.keys(document).join()}`);
const encoders = {
  encodeV2: (document: JsonObject) => encode('v2', document),
  encodeV3: (document: JsonObject) => encode('v3', document),
};

describe('/openapi', () => {
  let certificates: TestCertificates;
  let first: Awaited<ReturnType<typeof startTestServer>>;
  let next: Awaited<ReturnType<typeof startTestServer>>;
  const get = (path: string, headers: Record<string, string> = {}) =>
    call(first, path, { as: certificates.admin, headers });

  before(async () => {
    certificates = await createTestCertificates();
    next = await startTestServer(certificates, {}, (server) => {
      server.installOpenApi(source('apis/example.com/v1'), encoders);
    });
    const delegate = new HttpDelegationTarget({
      url: next.url,
      ca: certificates.ca.certificate,
      clientCertificate: certificates.frontProxy.certificate,
      clientKey: certificates.frontProxy.key,
    });
    first = await startTestServer(certificates, { delegate }, (server) => {
      server.installOpenApi(source('api/v1', 'apis/apps/v1'), encoders);
    });
  });

  after(async () => {
    await first.server.shutdown();
    await next.server.shutdown();
  });

  it('merges the v2 documents of the chain', async () => {
    const v2 = await get('/openapi/v2');
    assert.deepEqual(Object.keys(v2.json['paths'] as object), ['/api/v1/', '/apis/apps/v1/', '/apis/example.com/v1/']);
    assert.equal(v2.headers['content-type'], 'application/json');
    assert.equal(v2.headers['vary'], 'Accept-Encoding, Accept');
    assert.match(String(v2.headers['last-modified']), / GMT$/);
    assert.equal((await get('/openapi/v2', { 'if-none-match': String(v2.headers['etag']) })).status, 304);
    const proto = await get('/openapi/v2', { accept: 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf' });
    assert.equal(proto.headers['content-type'], 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf');
    assert.equal(proto.text, 'v2 swagger,paths,definitions');
    assert.equal((await get('/openapi/v2', { accept: 'text/html' })).status, 406);
    const zipped = await get('/openapi/v2', { 'accept-encoding': 'gzip' });
    assert.equal(zipped.headers['content-encoding'], 'gzip');
  });

  it('compresses bodies with content-encoding', async () => {
    const document = await first.server.installOpenApi(source('a'), encoders).v2Document();
    assert.deepEqual(gunzipSync(await document.zipped('json')), await document.json());
  });

  it('lists v3 documents of all servers with their hashes and serves them', async () => {
    const index = await get('/openapi/v3');
    const paths = index.json['paths'] as Record<string, { serverRelativeURL: string }>;
    assert.equal(index.headers['content-type'], 'text/plain; charset=utf-8');
    assert.deepEqual(Object.keys(paths), ['a', 'apis/example.com/v1']);
    for (const [path, { serverRelativeURL }] of Object.entries(paths)) {
      assert.match(serverRelativeURL, new RegExp(`^/openapi/v3/${path}\\?hash=[0-9A-F]{128}$`));
      const document = await get(serverRelativeURL);
      assert.deepEqual(document.json['paths'], { [`/${path}/`]: {} });
      assert.equal(document.headers['cache-control'], 'public, immutable');
      assert.equal(document.headers['vary'], 'Accept');
      const moved = await get(`/openapi/v3/${path}?hash=OLD`);
      assert.equal(moved.status, 301);
      assert.equal(moved.headers['location'], serverRelativeURL);
    }
    assert.equal((await get('/openapi/v3/a', { accept: 'text/html' })).status, 406);
    assert.equal((await get('/openapi/v3/apis/none/v1')).status, 404);
  });
});
