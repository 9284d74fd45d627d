import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { httpTransport, isStatusError, loadKubeconfig, RestClient } from '@apichain/client/library';
import { startControlPlane } from './control-plane.ts';
import { Tenant } from './tenant.ts';

const core = { group: '', version: 'v1' };
const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1' };
const tenant = (name: string, configMaps: number) => ({
  apiVersion: 'example.com/v1',
  kind: 'Tenant',
  metadata: { name },
  spec: { owner: 'jane', configMaps },
});
const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });

const directory = mkdtempSync(join(tmpdir(), 'control-plane-'));
let controlPlane: Awaited<ReturnType<typeof startControlPlane>>;
let client: RestClient;

before(async () => {
  controlPlane = await startControlPlane(directory, 0, true);
  const file = join(directory, 'admin.kubeconfig');
  writeFileSync(file, controlPlane.kubeconfig);
  client = new RestClient(httpTransport(loadKubeconfig(file)));
});
after(async () => {
  await client.close();
  await controlPlane.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** The result of `read` once it is there and `accept` accepts it. */
async function eventually<T>(read: () => Promise<T>, accept: (value: T) => boolean = () => true): Promise<T> {
  for (const deadline = Date.now() + 15_000; ; await new Promise((done) => setTimeout(done, 10))) {
    try {
      const value = await read();
      if (accept(value)) return value;
    } catch (error) {
      if (!isStatusError(error, 'NotFound')) throw error;
    }
    assert.ok(Date.now() < deadline, 'not within 15 s');
  }
}

const ready = (name: string) =>
  eventually(
    () => client.get(Tenant, name),
    ({ metadata, status }) => status?.observedGeneration === metadata.generation,
  );

test('a tenant gets a namespace with a quota, and its owner may use it', async () => {
  await client.create(Tenant, tenant('blue', 2));
  await ready('blue');
  const quota = await client.get({ ...core, resource: 'resourcequotas', namespace: 'blue' }, 'tenant');
  assert.deepEqual(quota['spec'], { hard: { 'count/configmaps': '2' } });
  const review = async (namespace: string) => {
    const answer = await client.create(
      { group: 'authorization.k8s.io', version: 'v1', resource: 'subjectaccessreviews' },
      {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        metadata: {},
        spec: { user: 'jane', resourceAttributes: { namespace, verb: 'create', resource: 'configmaps' } },
      },
    );
    return (answer['status'] as { allowed: boolean }).allowed;
  };
  // The role `admin` gets its rules from a controller of the chain.
  await eventually(
    () => review('blue'),
    (allowed) => allowed,
  );
  assert.equal(await review('default'), false);
});

test('the quota follows the tenant', async () => {
  await client.create(Tenant, tenant('green', 1));
  await ready('green');
  const configMaps = { ...core, resource: 'configmaps', namespace: 'green' };
  const quota = () => client.get({ ...core, resource: 'resourcequotas', namespace: 'green' }, 'tenant');
  // A quota is enforced as soon as a controller of the chain has counted.
  await eventually(quota, ({ status }) => (status as { hard?: object } | undefined)?.hard !== undefined);
  await client.create(configMaps, configMap('a'));
  await assert.rejects(client.create(configMaps, configMap('b')), /exceeded quota: tenant/);
  await client.patch(Tenant, 'green', 'merge', { spec: { configMaps: 2 } });
  await ready('green');
  await client.create(configMaps, configMap('b'));
  await client.delete(configMaps, 'a');
  await eventually(
    quota,
    ({ status }) => (status as { used: Record<string, string> }).used['count/configmaps'] === '1',
  );
});

test('what somebody deletes is made again', async () => {
  await client.create(Tenant, tenant('red', 5));
  await ready('red');
  const namespaces = { ...core, resource: 'namespaces' };
  const { uid } = (await client.get(namespaces, 'red')).metadata;
  await client.delete(namespaces, 'red');
  await eventually(
    () => client.get(namespaces, 'red'),
    ({ metadata }) => metadata.uid !== uid,
  );
  await eventually(() => client.get({ ...rbac, resource: 'rolebindings', namespace: 'red' }, 'owner'));
});

test('a tenant that is deleted takes its namespace along', async () => {
  await client.create(Tenant, tenant('gray', 5));
  await ready('gray');
  await client.delete(Tenant, 'gray');
  const gone = await eventually(
    () => client.list({ ...core, resource: 'namespaces' }),
    ({ items }) => items.every(({ metadata }) => metadata.name !== 'gray'),
  );
  assert.ok(gone.items.some(({ metadata }) => metadata.name === 'default'));
});

test('there are no pods', async () => {
  await assert.rejects(client.list({ ...core, resource: 'pods', namespace: 'default' }), { reason: 'NotFound' });
});
