import assert from 'node:assert/strict';
import { isStatusError } from '@apichain/meta';
import { RestClient, type ResourceReference } from '@apichain/client';
import { startEmbeddedEtcd, type EmbeddedEtcd } from '@apichain/embedded-etcd';
import { crd, TestChains } from './chain.fixture.ts';
import type { InProcessChain } from './chain.ts';

const core = (resource: string): ResourceReference => ({ group: '', version: 'v1', resource, namespace: 'default' });
const crds: ResourceReference = { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' };
const secret = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'login', annotations: { copy: '{"data":{"password":"aHVudGVyMg=="}}' } },
  data: { password: 'aHVudGVyMg==' },
};
const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { a: 'b' } };
const webhook = {
  ...crd,
  spec: {
    ...crd.spec,
    conversion: {
      strategy: 'Webhook',
      webhook: { clientConfig: { url: 'https://127.0.0.1:1/' }, conversionReviewVersions: ['v1'] },
    },
    versions: [
      { ...crd.spec.versions[0], name: 'v2', storage: false },
      {
        ...crd.spec.versions[0],
        name: 'v1',
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

describe('a chain that is read-only', () => {
  const chains = new TestChains();

  const withClient = async (chain: InProcessChain, work: (client: RestClient) => Promise<void>) => {
    const client = new RestClient(chain.connect('test'));
    await work(client);
    await client.close();
  };
  const readOnly = (
    work: (client: RestClient, chain: InProcessChain) => Promise<void>,
    { showSecrets = false, etcd = chains.etcd }: { showSecrets?: boolean; etcd?: EmbeddedEtcd } = {},
  ) => {
    const flags = ['--authorization-mode=RBAC'];
    return chains.run(flags, (chain) => withClient(chain, (client) => work(client, chain)), etcd, {
      readOnly: { showSecrets },
    });
  };

  before(() =>
    chains.run([], (chain) =>
      withClient(chain, async (client) => {
        await client.create(core('secrets'), secret);
        await client.create(core('configmaps'), configMap);
        await client.create(crds, webhook);
      }),
    ),
  );

  it('writes nothing, at its start neither', async () => {
    const empty = await startEmbeddedEtcd({ memory: true, inProcess: true });
    await readOnly(
      async (client) => {
        assert.deepEqual((await client.list({ group: '', version: 'v1', resource: 'namespaces' })).items, []);
      },
      { etcd: empty },
    );
    assert.equal(empty.revision, 1);
    await empty.close();
  });

  it('refuses writes of any kind with 405, and serves on', async () => {
    const before = chains.etcd.revision;
    await readOnly(async (client) => {
      const found = await client.get(core('configmaps'), 'a');
      const refused = (action: RegExp, call: Promise<unknown>) =>
        assert.rejects(call, (error) => {
          assert.ok(isStatusError(error, 'MethodNotAllowed'));
          assert.equal(error.code, 405);
          assert.match(error.message, action);
          assert.match(error.message, /is not possible: the data is opened read-only$/);
          return true;
        });
      await refused(/^create of configmaps /, client.create(core('configmaps'), configMap));
      await refused(/^update of configmaps "a" /, client.update(core('configmaps'), found));
      await refused(/^patch of configmaps "a" /, client.patch(core('configmaps'), 'a', 'merge', { data: {} }));
      await refused(/^delete of configmaps "a" /, client.delete(core('configmaps'), 'a'));
      await refused(
        /^create of things.example.com /,
        client.create({ group: 'example.com', version: 'v1', resource: 'things' }, configMap),
      );
      assert.deepEqual(await client.get(core('configmaps'), 'a'), found);
    });
    assert.equal(chains.etcd.revision, before);
  });

  it('masks Secrets in every response, unless they are to be shown', async () => {
    await readOnly(async (client, chain) => {
      const found = await client.get(core('secrets'), 'login');
      assert.deepEqual(found['data'], { password: 'Kioq' });
      const transport = chain.connect('test');
      const path = '/api/v1/namespaces/default/secrets';
      const paths = [
        path,
        `${path}/login?resourceVersion=0`,
        `${path}?watch=1&timeoutSeconds=1`,
        `${path}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=1`,
      ];
      for (const accept of [
        'application/json',
        'application/vnd.kubernetes.protobuf',
        'application/json;as=Table;v=v1;g=meta.k8s.io',
      ])
        for (const each of paths) {
          const response = await transport.send({ method: 'GET', path: each, headers: { Accept: accept } });
          const chunks: Buffer[] = [];
          for await (const chunk of response.body) chunks.push(Buffer.from(chunk));
          const body = Buffer.concat(chunks).toString('latin1');
          assert.equal(response.status, 200, body);
          assert.match(body, /login/, `${accept} ${each}`);
          assert.doesNotMatch(body, /aHVudGVyMg|hunter2/, `${accept} ${each}`);
        }
      await transport.close();
    });
    await readOnly(
      async (client) => {
        assert.deepEqual((await client.get(core('secrets'), 'login'))['data'], secret.data);
      },
      { showSecrets: true },
    );
  });

  it('says what a user may do by the roles in the store', async () => {
    await readOnly(async (client) => {
      const review = (resource: string) =>
        client.create(
          { group: 'authorization.k8s.io', version: 'v1', resource: 'subjectaccessreviews' },
          {
            apiVersion: 'authorization.k8s.io/v1',
            kind: 'SubjectAccessReview',
            metadata: {},
            spec: { user: 'system:kube-scheduler', resourceAttributes: { verb: 'list', resource } },
          },
        );
      assert.deepEqual((await review('pods'))['status'], {
        allowed: true,
        reason:
          'RBAC: allowed by ClusterRoleBinding "system:kube-scheduler" of ClusterRole "system:kube-scheduler" to User "system:kube-scheduler"',
      });
      assert.equal(((await review('secrets'))['status'] as { allowed: boolean }).allowed, false);
    });
  });

  it('serves objects of a conversion webhook in the version in which they are stored', async () => {
    const contents = chains.etcd.snapshot();
    const thing = (version: string) =>
      Buffer.from(
        JSON.stringify({
          apiVersion: `example.com/${version}`,
          kind: 'Thing',
          metadata: { name: version },
          kept: version,
        }),
      );
    const keys = new Map(contents.keys);
    for (const version of ['v1', 'v2']) {
      const key = `/registry/example.com/things/${version}`;
      const kv = { createRevision: 2, modRevision: 2, version: 1, lease: '0' };
      keys.set(key, { ...kv, key: Buffer.from(key), value: thing(version) });
    }
    const etcd = await startEmbeddedEtcd({ memory: true, inProcess: true, contents: { ...contents, keys } });
    await readOnly(
      async (client) => {
        const { items } = await client.list({ group: 'example.com', version: 'v1', resource: 'things' });
        assert.deepEqual(
          items.map((item) => [item.metadata.name, item.apiVersion, item['kept']]),
          [
            ['v1', 'example.com/v1', 'v1'],
            // Nothing converts it, and nothing of it is pruned that its own version has not.
            ['v2', 'example.com/v2', undefined],
          ],
        );
        const other = client.list({ group: 'example.com', version: 'v2', resource: 'things' });
        await assert.rejects(other, { code: 404 });
      },
      { etcd },
    );
    await etcd.close();
  });

  it('lists what cannot be decrypted by name, and says so when one is asked for', async () => {
    const contents = chains.etcd.snapshot();
    const keys = new Map(contents.keys);
    for (const [key, kv] of keys)
      if (/secrets|clusterroles|customresourcedefinitions/.test(key))
        keys.set(key, { ...kv, value: Buffer.from('k8s:enc:aescbc:v1:key1:abc') });
    const etcd = await startEmbeddedEtcd({ memory: true, inProcess: true, contents: { ...contents, keys } });
    await readOnly(
      async (client) => {
        const { items } = await client.list(core('secrets'));
        assert.deepEqual(items[0]?.metadata, {
          name: 'login',
          namespace: 'default',
          resourceVersion: items[0]?.metadata.resourceVersion,
          annotations: {
            'apichain/unreadable':
              'it is encrypted at rest (aescbc, key "key1"): open it with the --encryption-provider-config of its cluster',
          },
        });
        await assert.rejects(client.get(core('secrets'), 'login'), (error) => {
          assert.ok(isStatusError(error, 'StorageReadError'));
          assert.match(error.message, /^secrets "login" cannot be read from the storage: it is encrypted at rest/);
          return true;
        });
        assert.equal((await client.get(core('configmaps'), 'a'))['data'] instanceof Object, true);
      },
      { etcd },
    );
    await etcd.close();
  });
});
