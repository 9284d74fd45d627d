import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { RestClient, type ResourceReference } from '@apichain/client';
import { connectEtcd, putOp } from '@apichain/etcd-client';
import { isStatusError, type KubeObject } from '@apichain/meta';
import { encodeCbor } from '@apichain/scheme';
import { crd, TestChains } from './chain.fixture.ts';

const gate = '--feature-gates=CBORServingAndStorage=true';
const things: ResourceReference = { group: 'example.com', version: 'v1', resource: 'things' };
const crds: ResourceReference = { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' };
const [version] = crd.spec.versions;
const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const freeCrd = { ...crd, spec: { ...crd.spec, versions: [{ ...version, schema: { openAPIV3Schema } }] } };
const thing = (name: string, more: object = {}) => ({
  ...{ apiVersion: 'example.com/v1', kind: 'Thing' },
  metadata: { name, uid: `uid-${name}`, labels: { from: 'etcd' } },
  ...more,
});
const spec = { list: [], number: 1.5, text: '"<&>\u2028', deep: [[[{ a: null }]]] };

/** A definition is served a moment after it is created. The test's limit of time ends the waiting. */
async function untilServed(client: RestClient): Promise<void> {
  for (;;) {
    try {
      await client.list(things);
      return;
    } catch (error) {
      if (!isStatusError(error, 'NotFound')) throw error;
      await delay(20);
    }
  }
}

describe('custom resources that kube-apiserver stored as CBOR', () => {
  const chains = new TestChains();

  const withClient = (flags: readonly string[], work: (client: RestClient) => Promise<void>) =>
    chains.run(['--authorization-mode=AlwaysAllow', ...flags], async (chain) => {
      const transport = chain.connect('test');
      await work(new RestClient(transport));
      await transport.close();
    });

  async function put(name: string, value: Buffer): Promise<void> {
    const etcd = connectEtcd({ servers: [chains.etcd.url], prefix: '/registry' });
    const key = Buffer.from(`/registry/example.com/things/${name}`);
    await etcd.txn({ compare: [], success: [putOp(key, value, '0')], failure: [] });
    await etcd.close();
  }

  function startOf(name: string): string {
    const all = [...chains.etcd.snapshot().keys.values()];
    const found = all.find(({ key }) => key.toString() === `/registry/example.com/things/${name}`);
    assert.ok(found !== undefined, name);
    return found.value.toString('hex', 0, 3);
  }

  async function events(client: RestClient, resourceVersion: string, count: number, work: () => Promise<void>) {
    const abort = new AbortController();
    const seen: [string, KubeObject][] = [];
    const reading = (async () => {
      for await (const event of client.watch(things, { resourceVersion }, abort.signal)) {
        assert.ok(event.type !== 'ERROR');
        seen.push([event.type, event.object]);
        if (seen.length === count) return;
      }
    })();
    await work();
    await reading;
    abort.abort();
    return seen;
  }

  it('are got, listed, watched, patched and deleted without the gate, and written as JSON', async () => {
    await withClient([], async (client) => {
      await client.create(crds, freeCrd);
      await untilServed(client);
      await put('before', encodeCbor(thing('before', { spec })));
      const found = await client.get(things, 'before');
      assert.deepEqual(found['spec'], spec);
      const list = await client.list(things, { labelSelector: 'from=etcd' });
      assert.deepEqual(list.items, [found]);

      const seen = await events(client, list.metadata.resourceVersion ?? '', 3, async () => {
        await put('later', encodeCbor(thing('later', { spec })));
        const patched = await client.patch(things, 'later', 'merge', { spec: { number: 2.5 } });
        assert.deepEqual(patched['spec'], { ...spec, number: 2.5 });
        assert.equal(startOf('later'), '7b2261');
        await client.delete(things, 'later');
      });
      assert.deepEqual(
        seen.map(([type, object]) => [type, object.metadata.name, (object['spec'] as typeof spec).number]),
        [
          ['ADDED', 'later', 1.5],
          ['MODIFIED', 'later', 2.5],
          ['DELETED', 'later', 2.5],
        ],
      );

      const again = await client.update(things, found);
      assert.notEqual(again.metadata.resourceVersion, found.metadata.resourceVersion);
      assert.equal(startOf('before'), '7b2261');
    });
  });

  it('are written as CBOR with the gate, also by an update that changes nothing', async () => {
    await withClient([gate], async (client) => {
      const found = await client.get(things, 'before');
      assert.deepEqual(found['spec'], spec);
      const again = await client.update(things, found);
      assert.notEqual(again.metadata.resourceVersion, found.metadata.resourceVersion);
      assert.equal(startOf('before'), 'd9d9f7');
      const unchanged = await client.update(things, again);
      assert.deepEqual(unchanged, again);

      const seen = await events(client, again.metadata.resourceVersion ?? '', 3, async () => {
        const made = await client.create(things, thing('made', { spec }));
        assert.equal(startOf('made'), 'd9d9f7');
        assert.deepEqual(await client.get(things, 'made'), made);
        const applied = { ...thing('made'), metadata: { name: 'made' }, more: true };
        await client.patch(things, 'made', 'apply', applied, {
          query: { fieldManager: 'test', force: 'true' },
        });
        assert.equal(startOf('made'), 'd9d9f7');
        await client.delete(things, 'made');
      });
      assert.deepEqual(
        seen.map(([type, object]) => [type, object['more'], object['spec']]),
        [
          ['ADDED', undefined, spec],
          ['MODIFIED', true, spec],
          ['DELETED', true, spec],
        ],
      );
      // Definitions, as everything that is not a custom resource, keep their form.
      const stored = [...chains.etcd.snapshot().keys.values()].filter(({ key }) => /\/apiextensions/.test(String(key)));
      assert.deepEqual(
        stored.map(({ value }) => value[0]),
        [0x7b],
      );
    });
  });

  it('are reported when they are damaged, and leave the others readable', async () => {
    await withClient([], async (client) => {
      await put('damaged', encodeCbor(thing('damaged')).subarray(0, -1));
      for (const reading of [client.get(things, 'damaged'), client.list(things)])
        await assert.rejects(reading, (error) => isStatusError(error) && error.status.code === 500);
      assert.equal((await client.get(things, 'before')).metadata.name, 'before');
    });
  });
});
