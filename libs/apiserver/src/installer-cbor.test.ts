import assert from 'node:assert/strict';
import { once } from 'node:events';
import { decodeCbor, encodeCbor } from '@apichain/scheme';
import { base, Harness, widget } from './installer.fixture.ts';
import { formatsWithCbor } from '@apichain/request';
import { defineWidgets } from './registry/widgets.fixture.ts';

describe('application/cbor', () => {
  let server: Harness;
  /** A server of the same process without the feature gate. */
  let without: Harness;

  before(async () => {
    server = await new Harness(defineWidgets(), { custom: true, formats: formatsWithCbor }).start();
    without = await new Harness(defineWidgets(), { custom: true }).start();
  });
  after(() => {
    server.stop();
    without.stop();
  });

  const cbor = { accept: 'application/cbor', 'content-type': 'application/cbor' };

  it('is not served without its feature gate', async () => {
    const response = await without.send('POST', base, encodeCbor(widget('off')), { ...cbor, accept: '*/*' });
    assert.equal(response.status, 415);
    assert.ok(!response.bytes.toString().includes('cbor'));
    assert.equal((await without.send('GET', base, undefined, { accept: 'application/cbor' })).status, 406);
  });

  it('reads and writes objects, lists and failures', async () => {
    const created = await server.send('POST', base, encodeCbor(widget('a')), cbor);
    assert.equal(created.status, 201);
    assert.equal(created.headers['content-type'], 'application/cbor');
    assert.equal((decodeCbor(created.bytes) as { kind: string }).kind, 'Widget');
    const list = decodeCbor((await server.send('GET', base, undefined, cbor)).bytes) as { items: unknown[] };
    assert.equal(list.items.length, 1);
    const again = await server.send('POST', base, encodeCbor(widget('a')), cbor);
    assert.equal(again.status, 409);
    assert.equal((decodeCbor(again.bytes) as { reason: string }).reason, 'AlreadyExists');
    const broken = await server.send('POST', base, Buffer.from('a16161', 'hex'), {
      ...cbor,
      accept: 'application/json',
    });
    assert.equal(broken.status, 400);
    assert.match(broken.bytes.toString(), /unable to determine group\/version\/kind: unexpected EOF/);
  });

  it('has CBOR for errors of endpoints only', async () => {
    const builtin = await new Harness(defineWidgets(), { formats: formatsWithCbor }).start();
    const ask = async (target: Harness, method: string, path: string) => {
      const { status, headers } = await target.send(method, path, undefined, { accept: 'application/cbor' });
      return [status, headers['content-type']];
    };
    try {
      assert.deepEqual(await ask(builtin, 'GET', `${base}/missing`), [404, 'application/cbor']);
      assert.deepEqual(await ask(builtin, 'GET', base.replace('widgets', 'nosuch')), [404, 'application/json']);
      assert.deepEqual(await ask(builtin, 'PUT', base), [405, 'application/json']);
      assert.deepEqual(await ask(server, 'GET', `${base}/missing`), [404, 'application/cbor']);
      assert.deepEqual(await ask(server, 'GET', `${base}/missing/nosuch`), [404, 'application/json']);
      assert.deepEqual(await ask(server, 'DELETE', `${base}/missing/status`), [405, 'application/json']);
    } finally {
      builtin.stop();
    }
  });

  it('has no Tables', async () => {
    const statusOf = async (path: string, accept: string) =>
      (await server.send('GET', path, undefined, { accept })).status;
    assert.equal(await statusOf(base, 'application/cbor;as=Table;g=meta.k8s.io;v=v1'), 406);
    assert.equal(await statusOf(base, 'application/json;as=Table;g=meta.k8s.io;v=v1'), 200);
  });

  it('refuses an apply configuration that is not CBOR', async () => {
    const headers = { 'content-type': 'application/apply-patch+cbor' };
    const response = await server.send('PATCH', `${base}/a?fieldManager=me`, Buffer.from('ff', 'hex'), headers);
    assert.equal(response.status, 400);
    assert.match(response.bytes.toString(), /error decoding patch: cbor: unexpected \\"break\\" code/);
  });

  it('watches as a sequence of items', async () => {
    await server.send('POST', base, encodeCbor(widget('w')), cbor);
    const response = await server.open('GET', `${base}?watch=true`, { accept: 'application/cbor' });
    assert.equal(response.headers['content-type'], 'application/cbor-seq');
    const [first] = (await once(response, 'data')) as [Buffer];
    response.destroy();
    assert.equal(first.subarray(0, 4).toString('hex'), 'd9d9f7a2');
    assert.ok(first.includes('ADDED'));
  });
});
