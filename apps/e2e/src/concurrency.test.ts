import assert from 'node:assert/strict';
import { Agent } from 'node:https';
import { type Chain, startChain } from './chain.ts';
import { type HttpResponse, call } from './http.ts';
import { defineWidgets, widgets } from './definitions.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';
const writers = 64;
/** Each successful update makes all others retry. This number is enough to cause conflicts. */
const updaters = 24;

interface Written {
  metadata: { name: string; resourceVersion: string; labels?: Record<string, string> };
  data?: Record<string, string>;
  spec?: Record<string, unknown>;
}

describe('writes through the whole chain', () => {
  let chain: Chain;
  const agent = new Agent({ keepAlive: true });
  before(async () => {
    chain = await startChain();
    await defineWidgets(chain);
  });
  after(() => {
    agent.destroy();
    return chain?.stop();
  });

  const send = (method: string, path: string, body?: object, contentType = 'application/json'): Promise<HttpResponse> =>
    call(chain, method, path, {
      agent,
      ...(body === undefined ? {} : { headers: { 'content-type': contentType }, body: JSON.stringify(body) }),
    });
  const configMap = (name: string, labels: Record<string, string> = {}) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, labels },
    data: {},
  });
  const widget = (name: string, spec: object = {}) => ({
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { name },
    spec,
  });
  const everyWriter = <T>(write: (n: number) => Promise<T>, count = writers): Promise<T[]> =>
    Promise.all(Array.from({ length: count }, (_, n) => write(n)));

  const kinds = [
    { kind: 'ConfigMap', path: configMaps, object: configMap, field: 'data' },
    { kind: 'Widget', path: widgets, object: widget, field: 'spec' },
  ] as const;
  for (const { kind, path, object, field } of kinds)
    describe(`many writers on one ${kind}`, () => {
      it('patch it, and no patch is lost', async () => {
        await send('POST', path, object('patched'));
        const responses = await everyWriter((n) =>
          send(
            'PATCH',
            `${path}/patched`,
            { [field]: { [`writer-${n}`]: 'was here' } },
            'application/merge-patch+json',
          ),
        );
        assert.deepEqual([...new Set(responses.map(({ status }) => status))], [200]);
        const versions = new Set(responses.map((response) => response.json<Written>().metadata.resourceVersion));
        assert.equal(versions.size, writers, 'each patch is a version of its own');
        const final = (await send('GET', `${path}/patched`)).json<Written>();
        assert.equal(Object.keys(final[field] ?? {}).length, writers);
      });

      it('update it with retries, and no update is lost', async () => {
        await send('POST', path, object('updated'));
        let conflicts = 0;
        await everyWriter(async (n) => {
          for (;;) {
            const read = (await send('GET', `${path}/updated`)).json<Written>();
            const changed = { ...read, [field]: { ...read[field], [`writer-${n}`]: 'was here' } };
            const response = await send('PUT', `${path}/updated`, changed);
            if (response.status === 200) return;
            assert.equal(response.status, 409, response.text);
            assert.equal(response.json<{ reason: string }>().reason, 'Conflict');
            conflicts++;
          }
        }, updaters);
        assert.ok(conflicts > 0, 'the writers met each other');
        const final = (await send('GET', `${path}/updated`)).json<Written>();
        assert.equal(Object.keys(final[field] ?? {}).length, updaters);
      });
    });

  it('create one name, and exactly one succeeds', async () => {
    const responses = await everyWriter(() => send('POST', configMaps, configMap('contended')));
    const statuses = responses.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [201, ...Array.from({ length: writers - 1 }, () => 409)]);
  });

  it('delete one object, and exactly one succeeds', async () => {
    const responses = await everyWriter(() => send('DELETE', `${configMaps}/contended`));
    const statuses = responses.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [200, ...Array.from({ length: writers - 1 }, () => 404)]);
  });

  it('a patch with a resourceVersion is refused when it is stale', async () => {
    await send('POST', configMaps, configMap('stale'));
    const stale = (await send('GET', `${configMaps}/stale`)).json<Written>().metadata.resourceVersion;
    const merge = 'application/merge-patch+json';
    assert.equal((await send('PATCH', `${configMaps}/stale`, { data: { a: '1' } }, merge)).status, 200);
    const body = { metadata: { resourceVersion: stale }, data: { a: '2' } };
    const refused = await send('PATCH', `${configMaps}/stale`, body, merge);
    assert.equal(refused.status, 409, refused.text);
  });

  it('generateName generates unique names', async () => {
    const responses = await everyWriter(() =>
      send('POST', configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'made-' } }),
    );
    const names = new Set(responses.map((response) => response.json<Written>().metadata.name));
    assert.equal(names.size, writers);
    for (const name of names) assert.match(name, /^made-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });

  it('deletecollection deletes only the selected objects', async () => {
    for (let n = 0; n < 6; n++)
      await send('POST', configMaps, configMap(`many-${n}`, { many: 'yes', odd: String(n % 2) }));
    const names = async () =>
      (await send('GET', `${configMaps}?labelSelector=many`))
        .json<{ items: Written[] }>()
        .items.map(({ metadata }) => metadata.name);
    const dry = await send('DELETE', `${configMaps}?labelSelector=many&dryRun=All`);
    assert.equal(dry.status, 200, dry.text);
    assert.equal((await names()).length, 6);
    const odd = await send('DELETE', `${configMaps}?labelSelector=many,odd%3D1`);
    assert.equal(odd.status, 200, odd.text);
    assert.deepEqual(await names(), ['many-0', 'many-2', 'many-4']);
    await send('DELETE', `${configMaps}?fieldSelector=metadata.name%3Dmany-0`);
    assert.deepEqual(await names(), ['many-2', 'many-4']);
    assert.ok((await send('GET', `${configMaps}/stale`)).status === 200);
  });

  for (const { kind, path, object, field } of kinds)
    it(`dry runs on a ${kind} write nothing`, async () => {
      await send('POST', path, object('dry'));
      const state = async () => {
        const list = (await send('GET', path)).json<{ metadata: { resourceVersion: string }; items: Written[] }>();
        return { revision: list.metadata.resourceVersion, items: list.items };
      };
      const before = await state();
      const dry = async (method: string, suffix: string, body?: object, contentType?: string) => {
        const query = suffix.includes('?') ? '&dryRun=All' : '?dryRun=All';
        const response = await send(method, path + suffix + query, body, contentType);
        assert.ok([200, 201].includes(response.status), `${method}: ${response.text}`);
        return response.json<Written>();
      };
      const created = await dry('POST', '', { ...object('x'), metadata: { generateName: 'dry-' } });
      assert.match(created.metadata.name, /^dry-.{5}$/);
      const current = before.items.find(({ metadata }) => metadata.name === 'dry');
      const replaced = await dry('PUT', '/dry', { ...current, [field]: { a: '1' } });
      assert.deepEqual(replaced[field], { a: '1' });
      await dry('PATCH', '/dry', { [field]: { a: '2' } }, 'application/merge-patch+json');
      await dry('PATCH', '/dry', [{ op: 'add', path: `/${field}`, value: { b: '1' } }], 'application/json-patch+json');
      await dry(
        'PATCH',
        '/dry?fieldManager=me&force=true',
        { ...object('dry'), [field]: { c: '1' } },
        'application/apply-patch+yaml',
      );
      await dry('PATCH', '/new?fieldManager=me', object('new'), 'application/apply-patch+yaml');
      await dry('DELETE', '/dry');
      await dry('DELETE', '');
      // The dry run may also be requested in the body.
      assert.equal((await send('DELETE', `${path}/dry`, { dryRun: ['All'] })).status, 200);
      assert.deepEqual((await state()).items, before.items);
    });

  it('a write that changes nothing keeps the resourceVersion', async () => {
    for (const { path, object } of kinds) {
      const created = (await send('POST', path, object('same'))).json<Written>();
      const updated = (await send('PUT', `${path}/same`, created)).json<Written>();
      const patched = (await send('PATCH', `${path}/same`, {}, 'application/merge-patch+json')).json<Written>();
      assert.equal(updated.metadata.resourceVersion, created.metadata.resourceVersion);
      assert.equal(patched.metadata.resourceVersion, created.metadata.resourceVersion);
    }
  });
});
