import assert from 'node:assert/strict';
import { EtcdStorage, etcdOptions } from '@apichain/apiserver';
import { apiSet, parseFlags } from '@apichain/apiserver-options';
import { startEmbeddedEtcd, type EmbeddedEtcd } from '@apichain/embedded-etcd';
import { kubeCoreFlags, templatesOf, writeFirstObjects } from '@apichain/server-core';
import { Registry } from 'prom-client';
import { TestChains } from './chain.fixture.ts';

const prefix = '/registry';

/** The stored values, by key without the prefix. */
const contentsOf = (etcd: EmbeddedEtcd) =>
  new Map([...etcd.snapshot().keys.values()].map((kv) => [kv.key.toString().slice(prefix.length), kv] as const));

const textsOf = (etcd: EmbeddedEtcd) => [...contentsOf(etcd)].map(([key, kv]) => [key, kv.value.toString()] as const);

describe('what every cluster begins with', () => {
  const chains = new TestChains();
  /** Runs a chain on the store and stops it when it is ready. */
  const runChain = (etcd: EmbeddedEtcd, ...flags: readonly string[]) =>
    chains.run(['--service-cluster-ip-range=10.9.0.0/16', ...flags], () => undefined, etcd);

  async function write(
    etcd: EmbeddedEtcd,
    read: Parameters<typeof writeFirstObjects>[3],
    apis = apiSet('all'),
  ): Promise<boolean> {
    const flags = parseFlags(kubeCoreFlags, [`--etcd-servers=${etcd.url}`]);
    const storage = new EtcdStorage(etcdOptions(flags), new Registry());
    await storage.prepare();
    const written = await writeFirstObjects(storage, ['10.9.0.0/16'], apis, read);
    await storage.close();
    return written;
  }

  it('is the same when it is written at once, and stays as it is', async () => {
    const made = await startEmbeddedEtcd({ memory: true, inProcess: true });
    const written = await startEmbeddedEtcd({ memory: true, inProcess: true });
    try {
      await runChain(made);
      const templates = templatesOf(textsOf(made));
      assert.ok(templates.some(({ key }) => key === '/clusterroles/cluster-admin'));
      assert.ok(templates.some(({ key }) => key === '/namespaces/kube-system'));
      assert.equal(await write(written, () => templates), true);
      const { revision } = written;
      await runChain(written);
      assert.deepEqual(templatesOf(textsOf(written)), templates);
      const kept = contentsOf(written);
      for (const { key } of templates) assert.ok((kept.get(key)?.modRevision ?? 0) <= revision, key);
      const uids = [...kept.values()].flatMap(({ value }) => /"uid":"([^"]*)"/.exec(value.toString())?.[1] ?? []);
      assert.equal(new Set(uids).size, uids.length);
    } finally {
      await made.close();
      await written.close();
    }
  });

  it('is what a chain with the minimal set makes', async () => {
    const [all, minimal, written] = await Promise.all(
      [1, 2, 3].map(() => startEmbeddedEtcd({ memory: true, inProcess: true })),
    );
    assert.ok(all !== undefined && minimal !== undefined && written !== undefined);
    try {
      await runChain(all);
      await runChain(minimal, '--apis=minimal');
      const templates = templatesOf(textsOf(all));
      await write(written, () => templates, apiSet('minimal'));
      const keysOf = (etcd: EmbeddedEtcd) => templatesOf(textsOf(etcd)).map(({ key }) => key);
      assert.deepEqual(keysOf(written).toSorted(), keysOf(minimal).toSorted());
      assert.ok(keysOf(minimal).length < templates.length);
    } finally {
      for (const etcd of [all, minimal, written]) await etcd.close();
    }
  });

  it('is not written into a store that holds anything', async () => {
    const etcd = await startEmbeddedEtcd({ memory: true, inProcess: true });
    const template = {
      key: '/clusterroles/a',
      group: 'rbac.authorization.k8s.io',
      resource: 'clusterroles',
      text: '{}',
    };
    await write(etcd, () => [template]);
    assert.equal(await write(etcd, () => [{ ...template, key: '/clusterroles/b' }]), false);
    assert.deepEqual([...contentsOf(etcd).keys()], ['/clusterroles/a']);
    await etcd.close();
  });
});
