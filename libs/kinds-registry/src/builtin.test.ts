import assert from 'node:assert/strict';
import { alwaysAllow } from '@apichain/authz';
import { apiResources } from '@apichain/apiserver';
import type { KubeObject } from '@apichain/meta';
import { decodeObject } from '@apichain/scheme';
import type { Storage } from '@apichain/storage';
import { builtinGroupVersions, type RuntimeConfig } from '@apichain/kinds';
import { createBuiltinApi, type BuiltinApi } from './builtin.ts';
import { builtinType } from '@apichain/kinds';

const untouched = new Proxy({} as Storage, {
  get: (_target, name) => () => {
    throw new Error(`storage.${String(name)} was called`);
  },
});
const create = (runtimeConfig?: RuntimeConfig): BuiltinApi =>
  createBuiltinApi({
    openStorage: () => untouched,
    reportFailure: assert.ifError,
    authorizer: alwaysAllow,
    ...(runtimeConfig === undefined ? {} : { runtimeConfig }),
  });
const versions = (api: BuiltinApi): string[] => api.groups.flatMap((g) => g.versions.map((v) => `${g.group}/${v}`));

describe('the built-in API', () => {
  it('serves every resource and subresource with the verbs of the table', () => {
    const api = create();
    for (const gv of builtinGroupVersions.filter((v) => v.enabledByDefault && v.server === 'kube-apiserver')) {
      const storages = api.groups.find((g) => g.group === gv.group)?.storages.get(gv.version) ?? [];
      const actual = new Map(apiResources(gv, storages).map((r) => [r.name, r]));
      for (const resource of gv.resources) {
        const { plural } = resource.info;
        const found = actual.get(plural);
        assert.deepEqual(found?.verbs, resource.verbs, `${gv.group}/${gv.version} ${plural}`);
        assert.equal(found.storageVersionHash, resource.storageVersionHash, `${plural} storageVersionHash`);
        for (const subresource of resource.subresources) {
          const name = `${plural}/${subresource.name}`;
          assert.deepEqual(actual.get(name)?.verbs, subresource.verbs, name);
          assert.equal(actual.get(name)?.kind, subresource.kind, name);
        }
        assert.equal(
          [...actual.keys()].filter((name) => name.startsWith(`${plural}/`)).length,
          resource.subresources.length,
          `subresources of ${plural}`,
        );
      }
      assert.equal(storages.filter((s) => !s.path.includes('/')).length, gv.resources.length);
    }
  });

  it('serves the default versions, and others on demand', () => {
    const byDefault = builtinGroupVersions.filter((gv) => gv.enabledByDefault && gv.server === 'kube-apiserver');
    assert.deepEqual(versions(create()).toSorted(), byDefault.map((gv) => `${gv.group}/${gv.version}`).toSorted());
    assert.ok(versions(create({ 'resource.k8s.io/v1beta1': 'true' })).includes('resource.k8s.io/v1beta1'));
    assert.ok(!versions(create({ 'batch/v1': 'false' })).includes('batch/v1'));
    assert.ok(versions(create({ 'api/beta': 'true' })).includes('networking.k8s.io/v1beta1'));
    assert.ok(!versions(create({ 'api/beta': 'true' })).includes('storage.k8s.io/v1alpha1'));
    const one = create({ 'batch/v1/cronjobs': 'false' }).groups.find((g) => g.group === 'batch');
    assert.deepEqual(
      one?.storages.get('v1')?.map((s) => s.path),
      ['jobs', 'jobs/status'],
    );
  });

  it('drops managers of an Event in the other group when only one group is installed', async () => {
    const fieldManager = (group: string) =>
      create()
        .groups.find((g) => g.group === group)
        ?.storages.get('v1')
        ?.find((storage) => storage.path === 'events')?.fieldManager;
    const written = { apiVersion: 'v1', kind: 'Event', metadata: { name: 'e', namespace: 'n' }, reason: 'R' };
    const live = await fieldManager('')?.update(undefined, written, 'a');
    assert.deepEqual(
      live?.metadata.managedFields?.map(({ manager }) => manager),
      ['a'],
    );
    const seen = { ...live, apiVersion: 'events.k8s.io/v1', kind: 'Event', metadata: live?.metadata ?? {} };
    const changed = { ...seen, metadata: { ...seen.metadata, labels: { a: 'b' } } };
    const updated = await fieldManager('events.k8s.io')?.update(seen, changed, 'b');
    assert.deepEqual(
      updated?.metadata.managedFields?.map(({ manager }) => manager),
      ['b'],
    );
  });

  it('clears managedFields when a list item has no key', async () => {
    const accounts = create()
      .groups.find((g) => g.group === '')
      ?.storages.get('v1')
      ?.find((storage) => storage.path === 'serviceaccounts');
    const account = (...secrets: object[]) => ({
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'a', namespace: 'n', uid: 'u' },
      secrets,
    });
    const managers = (object?: KubeObject) => object?.metadata.managedFields?.map(({ manager }) => manager);
    const named = await accounts?.fieldManager?.update(undefined, account({ name: 's' }), 'm');
    assert.deepEqual(managers(named), ['m']);
    assert.equal(managers(await accounts?.fieldManager?.update(undefined, account({}), 'm')), undefined);
    assert.equal(managers(await accounts?.fieldManager?.update(named, account({ name: 's' }, {}), 'm')), undefined);
    const { secrets: _, ...applied } = account();
    const fields = accounts?.fieldManager;
    assert(fields !== undefined);
    await assert.rejects(
      fields.apply(account({ name: 's' }, {}), applied, 'm', false),
      /^StatusError: failed to create manager for existing fields: .*\.secrets: element 1: associative/,
    );
  });

  it('distinguishes empty and absent lists inside atomic lists for managedFields', async () => {
    const roles = create()
      .groups.find((g) => g.group === 'rbac.authorization.k8s.io')
      ?.storages.get('v1')
      ?.find((storage) => storage.path === 'roles');
    const type = builtinType({ group: 'rbac.authorization.k8s.io', version: 'v1', kind: 'Role' });
    assert.ok(roles !== undefined && type !== undefined);
    const role = (rule: object) =>
      decodeObject({ metadata: { name: 'r' }, rules: [{ verbs: ['get'], ...rule }] }, type).object as KubeObject;
    const live = await roles.fieldManager?.update(undefined, role({}), 'a');
    const managers = async (rule: object) => {
      const changed = role(rule);
      changed.metadata.managedFields = live?.metadata.managedFields;
      const updated = await roles.fieldManager?.update(live, changed, 'b');
      return updated?.metadata.managedFields?.map(({ manager }) => manager);
    };
    assert.deepEqual(await managers({}), ['a']);
    assert.deepEqual(await managers({ resourceNames: [] }), ['b']);
  });

  it('stores objects under the keys of kube-apiserver', () => {
    const prefixes: string[] = [];
    createBuiltinApi({
      openStorage: ({ prefix }) => {
        prefixes.push(prefix);
        return untouched;
      },
      reportFailure: assert.ifError,
      authorizer: alwaysAllow,
    });
    const elsewhere = ['/controllers', '/services/endpoints', '/services/specs', '/minions', '/ingress'];
    for (const prefix of [
      ...elsewhere,
      '/pods',
      '/deployments',
      '/horizontalpodautoscalers',
      '/flowschemas',
      '/leases',
    ])
      assert.ok(prefixes.includes(prefix), prefix);
    for (const plural of ['/replicationcontrollers', '/endpoints', '/services', '/nodes', '/ingresses'])
      assert.ok(!prefixes.includes(plural), plural);
    assert.deepEqual(
      [...new Set(prefixes.filter((prefix) => prefix.includes('event')))],
      ['/events'],
      'of both groups',
    );
    assert.ok(
      prefixes.every((prefix) => /^\/[a-z]+(\/[a-z]+)?$/.test(prefix)),
      'in lower case, without a group',
    );
  });

  it('refuses unknown groups and invalid values in runtime-config', () => {
    assert.throws(() => create({ 'nothing/v1': 'true' }), /unknown api groups nothing/);
    assert.throws(() => create({ 'batch/v1': 'maybe' }), /invalid value of batch\/v1: maybe/);
  });
});
