import assert from 'node:assert/strict';
import { newConflict, type KubeObject } from '@apichain/meta';
import { testAttributes, testAttributesOf, testPod } from '../../attributes.fixture.ts';
import type { ObjectLookup } from '../../object-lookup.ts';
import type { AdmissionAttributes } from '../../plugin.ts';
import type { LimitedResource } from './limited-resources.ts';
import { ResourceQuota } from './resource-quota.ts';

type Amounts = Record<string, string>;

/** The quotas of a namespace in memory; writes check the resourceVersion as a store does. */
class Store {
  readonly quotas = new Map<string, KubeObject>();
  writes = 0;
  #revision = 1;

  add(name: string, hard: Amounts, used: Amounts, spec: Record<string, unknown> = {}): void {
    const metadata = { name, namespace: 'ns', resourceVersion: String(this.#revision++) };
    this.quotas.set(name, {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata,
      spec: { hard, ...spec },
      status: { hard, used },
    });
  }
  used(name: string): unknown {
    return (this.quotas.get(name)?.status as { used: unknown }).used;
  }
  /** A concurrent write by another client. */
  touch(name: string, used: Amounts): void {
    const quota = this.quotas.get(name);
    if (quota === undefined) return;
    this.quotas.set(name, {
      ...quota,
      metadata: { ...quota.metadata, resourceVersion: String(++this.#revision) },
      status: { ...(quota.status as object), used },
    });
  }
  readonly lookup: ObjectLookup = {
    get: () => Promise.resolve(undefined),
    live: () => Promise.resolve(undefined),
    created: () => Promise.resolve(undefined),
    list: (_resource, namespace) => Promise.resolve(namespace === 'ns' ? [...this.quotas.values()] : []),
  };
  plugin(beforeWrite: () => void = () => undefined, limited: readonly LimitedResource[] = []): ResourceQuota {
    return new ResourceQuota(
      this.lookup,
      async (_namespace, name, resourceVersion, used) => {
        await Promise.resolve();
        this.writes++;
        beforeWrite();
        if (this.quotas.get(name)?.metadata.resourceVersion !== resourceVersion) {
          throw newConflict({ group: '', resource: 'resourcequotas' }, name, 'changed');
        }
        this.touch(name, { ...used });
        const written = this.quotas.get(name);
        if (written === undefined) throw new Error('no such quota');
        return written;
      },
      limited,
    );
  }
}

const service = (type: string, ports: number): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 's' },
  spec: { type, ports: Array.from({ length: ports }, (_, i) => ({ port: i + 1 })) },
});
const pod = (requests?: Amounts, more: Record<string, unknown> = {}) =>
  testPod({ containers: [{ name: 'c', ...(requests === undefined ? {} : { resources: { requests } }) }], ...more });
const create = (object: KubeObject, more: Partial<AdmissionAttributes> = {}) => testAttributes({ object, ...more });
const services = { group: '', resource: 'services' };

describe('ResourceQuota', () => {
  it('admits limited resources only when a quota covers them', async () => {
    const store = new Store();
    const scope = { scope: 'PriorityClass', operator: 'In', values: ['high'] };
    const limited = [{ group: '', resource: 'pods', matchContains: ['cpu'], matchScopes: [scope] }];
    const plugin = store.plugin(undefined, limited);
    await plugin.validate(create(pod()));
    await assert.rejects(plugin.validate(create(pod({ cpu: '1' }))), {
      message: 'pods "a" is forbidden: insufficient quota to consume: cpu,requests.cpu',
    });
    await assert.rejects(plugin.validate(create(pod(undefined, { priorityClassName: 'high' }))), {
      code: 500,
      message: 'insufficient quota to match these scopes: [{PriorityClass In [high]}]',
    });
    store.add('q', { cpu: '2', 'requests.cpu': '2' }, { cpu: '0', 'requests.cpu': '0' });
    await plugin.validate(create(pod({ cpu: '1' })));
    assert.deepEqual(store.used('q'), { cpu: '1', 'requests.cpu': '1' });
  });

  it('charges the usage of an object, and refuses objects over quota', async () => {
    const store = new Store();
    store.add('q', { pods: '2', 'requests.cpu': '1' }, { pods: '0', 'requests.cpu': '0' });
    const plugin = store.plugin();
    await plugin.validate(create(pod({ cpu: '600m' })));
    assert.deepEqual(store.used('q'), { pods: '1', 'requests.cpu': '600m' });
    await assert.rejects(plugin.validate(create(pod({ cpu: '500m' }))), {
      message:
        'pods "a" is forbidden: exceeded quota: q, requested: requests.cpu=500m, used: requests.cpu=600m, limited: requests.cpu=1',
    });
    await assert.rejects(plugin.validate(create(pod())), {
      message: 'pods "a" is forbidden: failed quota: q: must specify requests.cpu for: c',
    });
    await plugin.validate(create(pod({ cpu: '100m' }), { dryRun: true }));
    assert.deepEqual(store.used('q'), { pods: '1', 'requests.cpu': '600m' });
  });

  it('waits until the quota has a status', async () => {
    const store = new Store();
    store.add('q', { pods: '2', services: '3' }, {});
    await assert.rejects(store.plugin().validate(create(pod())), {
      message: 'pods "a" is forbidden: status unknown for quota: q, resources: pods',
    });
  });

  it('charges only the increase of an update', async () => {
    const store = new Store();
    const hard = { 'services.nodeports': '3', 'services.loadbalancers': '0' };
    store.add('q', hard, { 'services.nodeports': '1', 'services.loadbalancers': '0' });
    const plugin = store.plugin();
    const old = service('NodePort', 1);
    old.metadata.resourceVersion = '7';
    const update = (object: KubeObject) =>
      plugin.validate(testAttributesOf(services, object, { operation: 'UPDATE', oldObject: old }));
    await update(service('NodePort', 3));
    assert.deepEqual(store.used('q'), { 'services.nodeports': '3', 'services.loadbalancers': '0' });
    await assert.rejects(
      update(service('LoadBalancer', 1)),
      /requested: services.loadbalancers=1, used: .*=0, limited/,
    );
  });

  it('applies to the objects in its scope', async () => {
    const store = new Store();
    store.add('best', { pods: '0' }, { pods: '0' }, { scopes: ['BestEffort'] });
    const expression = { scopeName: 'PriorityClass', operator: 'In', values: ['high'] };
    store.add('high', { pods: '0' }, { pods: '0' }, { scopeSelector: { matchExpressions: [expression] } });
    const plugin = store.plugin();
    await assert.rejects(plugin.validate(create(pod())), /exceeded quota: best/);
    await plugin.validate(create(pod({ cpu: '1' })));
    await assert.rejects(plugin.validate(create(pod({ cpu: '1' }, { priorityClassName: 'high' }))), /quota: high/);
  });

  it('counts claims by class, and objects of any kind', async () => {
    const store = new Store();
    const hard = {
      'requests.storage': '10Gi',
      'gold.storageclass.storage.k8s.io/requests.storage': '5Gi',
      'count/crontabs.example.com': '0',
    };
    store.add('q', hard, Object.fromEntries(Object.keys(hard).map((name) => [name, '0'])));
    const plugin = store.plugin();
    const claim: KubeObject = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'c' },
      spec: { storageClassName: 'gold', resources: { requests: { storage: '6Gi' } } },
    };
    await assert.rejects(
      plugin.validate(testAttributesOf({ group: '', resource: 'persistentvolumeclaims' }, claim)),
      /requested: gold\.storageclass\.storage\.k8s\.io\/requests\.storage=6Gi/,
    );
    const custom: KubeObject = { apiVersion: 'example.com/v1', kind: 'CronTab', metadata: { name: 'c' } };
    await assert.rejects(
      plugin.validate(testAttributesOf({ group: 'example.com', resource: 'crontabs' }, custom)),
      /crontabs\.example\.com "c" is forbidden: exceeded quota: q, requested: count\/crontabs\.example\.com=1/,
    );
  });

  it('never exceeds the quota under concurrent requests, with few writes', async () => {
    const store = new Store();
    store.add('q', { pods: '20' }, { pods: '0' });
    const plugin = store.plugin();
    const results = await Promise.allSettled(Array.from({ length: 64 }, () => plugin.validate(create(pod()))));
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 20);
    assert.deepEqual(store.used('q'), { pods: '20' });
    assert.ok(store.writes <= 3, `${store.writes} writes`);
  });

  it('retries after a conflict, up to a limit', async () => {
    const store = new Store();
    store.add('q', { pods: '5' }, { pods: '0' });
    let disturbances = 1;
    const plugin = store.plugin(() => {
      if (disturbances-- > 0) store.touch('q', { pods: '4' });
    });
    await plugin.validate(create(pod()));
    assert.deepEqual(store.used('q'), { pods: '5' });
    disturbances = 100;
    store.touch('q', { pods: '0' });
    await assert.rejects(plugin.validate(create(pod())), { reason: 'Conflict' });
  });

  it('charges a pod that an update brings into the scope of a quota', async () => {
    const store = new Store();
    store.add('q', { pods: '1' }, { pods: '1' }, { scopes: ['Terminating'] });
    const oldObject = pod();
    oldObject.metadata.resourceVersion = '7';
    const update = (object: KubeObject) => store.plugin().validate(create(object, { operation: 'UPDATE', oldObject }));
    await update(pod());
    await assert.rejects(
      update(pod(undefined, { activeDeadlineSeconds: 30 })),
      /exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1/,
    );
  });

  it('counts the devices that claims request, by class', async () => {
    const store = new Store();
    const name = 'gold.deviceclass.resource.k8s.io/devices';
    store.add('q', { [name]: '3' }, { [name]: '0' });
    const claim = (request: unknown): KubeObject => ({
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaim',
      metadata: { name: 'c' },
      spec: { devices: { requests: [request] } },
    });
    const resource = { group: 'resource.k8s.io', resource: 'resourceclaims' };
    const check = (request: unknown) => store.plugin().validate(testAttributesOf(resource, claim(request)));
    const gold = { deviceClassName: 'gold' };
    const exactly = (count: number) => ({ ...gold, allocationMode: 'ExactCount', count });
    await check({ exactly: exactly(2) });
    await assert.rejects(check({ exactly: { ...gold, allocationMode: 'All' } }), /requested: gold[^ ]*=32, used/);
    await assert.rejects(
      check({ firstAvailable: [exactly(1), { ...exactly(9), deviceClassName: 'lead' }, exactly(2)] }),
      /requested: gold[^ ]*=2, used: gold[^ ]*=2, limited/,
    );
  });
});
