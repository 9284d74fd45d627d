import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { KubernetesEndpoints } from '@apichain/apiserver';
import { apiSet } from '@apichain/apiserver-options';
import { apiServerId } from '@apichain/request';
import { newInternalError, type KubeObject } from '@apichain/meta';
import { eventually } from '@apichain/meta/until.fixture';
import type { GuaranteedUpdateOptions, Storage, StoredObject } from '@apichain/storage';
import { core, TestKubeCore } from '../kube-core.fixture.ts';
import { reconcile, reconcileOnceStarted } from './context.ts';
import { systemNamespaces } from './system-namespaces.ts';
import { ensureFlowControl } from './flow-control.ts';
import { collectIdentityLeases, renewIdentityLease } from './identity-lease.ts';
import { trackLegacyTokens } from './legacy-token-tracking.ts';
import { HealthChecks, PostStartHooks } from '@apichain/observability';
import { serviceRepair } from './service-repair.ts';
import { reconcileDefaultRoles } from './rbac/reconcile.ts';

describe('what kube-core keeps up', () => {
  const kubeCore = new TestKubeCore();
  const hookContext = () => {
    const { client, server } = kubeCore;
    return {
      client,
      signal: server.stopping,
      logger: server.config.logger,
      whenStarted: (work: () => Promise<void>) => void work(),
    };
  };

  it('makes what every cluster has', async () => {
    const namespaces = await kubeCore.client.list(core('namespaces'));
    assert.deepEqual(
      namespaces.items.map((n) => n.metadata.name).toSorted(),
      systemNamespaces(apiSet('all')).toSorted(),
    );
    const service = await kubeCore.client.get(core('services', 'default'), 'kubernetes');
    const [{ fieldsV1 = {} } = {}] = service.metadata.managedFields ?? [];
    assert.deepEqual(Object.keys((fieldsV1 as { 'f:spec': object })['f:spec']).sort(), [
      'f:clusterIP',
      'f:internalTrafficPolicy',
      'f:ipFamilyPolicy',
      'f:ports',
      'f:sessionAffinity',
      'f:type',
    ]);
    assert.deepEqual((service.spec as { clusterIPs: string[] }).clusterIPs, ['10.7.0.1']);
    const address = await kubeCore.client.get(
      { group: 'networking.k8s.io', version: 'v1', resource: 'ipaddresses' },
      '10.7.0.1',
    );
    assert.equal(address.kind, 'IPAddress');
    assert.equal(address.metadata.managedFields?.[0]?.manager, 'kube-apiserver');
    // Written once the server is ready, as in kube-apiserver.
    const endpoints = await eventually(() => kubeCore.client.get(core('endpoints', 'default'), 'kubernetes'));
    assert.deepEqual((endpoints.subsets as { addresses: unknown }[])[0]?.addresses, [{ ip: '192.0.2.10' }]);
  });

  it('begins in the turn in which the server is ready, not before and not later', async () => {
    const hooks = new PostStartHooks(new HealthChecks(() => undefined));
    const ready = Promise.withResolvers<void>();
    let passes = 0;
    hooks.add('slow', () => ready.promise);
    hooks.add('test', ({ whenStarted }) => {
      reconcileOnceStarted('test', { ...hookContext(), whenStarted }, 0, async () => {
        passes += 1;
      });
    });
    const { loopback, stopping: signal, config } = kubeCore.server;
    const run = hooks.run({ loopback, signal, logger: config.logger }, () => undefined);
    await setImmediate();
    assert.equal(passes, 0);
    ready.resolve();
    await run;
    assert.equal(passes, 1);
    await hooks.rested;
  });

  it('goes on in the background where a webhook refuses it, so that the server becomes ready', async () => {
    let isBroken = true;
    let passes = 0;
    const pass = () => {
      passes += 1;
      return isBroken
        ? Promise.reject(newInternalError('failed calling webhook "broken.example.com"'))
        : Promise.resolve();
    };
    await reconcile('test', hookContext(), 0, pass);
    assert.equal(passes, 2);
    isBroken = false;
    await eventually(() => (passes === 3 ? Promise.resolve() : Promise.reject(new Error(`${passes} passes`))));
  });

  it('waits until it has succeeded where something else fails', async () => {
    let passes = 0;
    await reconcile('test', hookContext(), 0, () => {
      passes += 1;
      return passes < 3 ? Promise.reject(new Error('etcd is away')) : Promise.resolve();
    });
    assert.equal(passes, 3);
  });

  it('says in a Lease that it is alive, and clears away those of servers that are gone', async () => {
    const leases = { ...core('leases', 'kube-system'), group: 'coordination.k8s.io' };
    const labels = { 'apiserver.kubernetes.io/identity': 'kube-apiserver' };
    const leaseOf = (name: string, renewTime: string) =>
      kubeCore.client.create(leases, {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name, labels },
        spec: { holderIdentity: name, leaseDurationSeconds: 3600, renewTime },
      });
    await leaseOf('apiserver-gone', '2020-01-01T00:00:00.000000Z');
    await leaseOf('apiserver-other', new Date().toISOString().replace('Z', '000Z'));
    const context = hookContext();
    await renewIdentityLease(context, '192.0.2.1:6443');
    await renewIdentityLease(context, '192.0.2.1:6443');
    await collectIdentityLeases(context);
    const { items } = await kubeCore.client.list(leases);
    assert.deepEqual(items.map(({ metadata }) => metadata.name).sort(), [apiServerId(), 'apiserver-other'].sort());
    const own = items.find(({ metadata }) => metadata.name === apiServerId());
    const { holderIdentity, leaseDurationSeconds, renewTime } = own?.['spec'] as Record<string, unknown>;
    assert.match(String(holderIdentity), new RegExp(`^${apiServerId()}_[0-9a-f-]{36}$`));
    assert.equal(leaseDurationSeconds, 3600);
    assert.match(String(renewTime), /\.\d{6}Z$/);
    assert.equal(own?.metadata.labels?.['kubernetes.io/hostname'], hostname());
    assert.deepEqual(own?.metadata.annotations, { 'kubernetes.io/peer-advertise-address': '192.0.2.1:6443' });
  });

  it('publishes the addresses that leases hold, in order, and renews its own', async () => {
    const lease = (...ips: string[]): KubeObject => ({
      apiVersion: 'v1',
      kind: 'Endpoints',
      metadata: { generation: 7 },
      subsets: [{ addresses: ips.map((ip) => ({ ip })) }],
    });
    const stored = [lease('192.0.2.30'), lease(), lease('192.0.2.20')];
    const leases = {
      guaranteedUpdate: async (key: string, { tryUpdate }: GuaranteedUpdateOptions) => {
        assert.equal(key, '/masterleases/192.0.2.10');
        const current = { parse: () => lease('192.0.2.1') } as object as StoredObject;
        stored.push((await tryUpdate(current)).object);
      },
      list: () => Promise.resolve({ items: stored.map((object) => ({ parse: () => object })) }),
    } as object as Storage;
    const { server } = kubeCore;
    const securePort = Number(new URL(server.loopback.url).port);
    const endpointsOfServer = new KubernetesEndpoints({ address: '192.0.2.10', port: () => securePort, leases });
    await endpointsOfServer.reconcile(kubeCore.client);
    const endpoints = await kubeCore.client.get(core('endpoints', 'default'), 'kubernetes');
    const ips = (endpoints.subsets as { addresses: { ip: string }[] }[])[0]?.addresses.map(({ ip }) => ip);
    assert.deepEqual(ips, ['192.0.2.10', '192.0.2.20', '192.0.2.30']);
    assert.equal(stored.at(-1)?.metadata.generation, 8);
  });

  it('leaves the endpoints when it stops, the last one too', async () => {
    const { client, server } = kubeCore;
    const stored = new Map<string, KubeObject>();
    const leases = {
      guaranteedUpdate: async (key: string, { tryUpdate }: GuaranteedUpdateOptions) => {
        stored.set(key, (await tryUpdate(undefined)).object);
      },
      list: () => Promise.resolve({ items: [...stored.values()].map((object) => ({ parse: () => object })) }),
      delete: (key: string) => Promise.resolve(stored.delete(key)),
    } as object as Storage;
    const port = () => 7443;
    const [one, other] = ['192.0.2.40', '192.0.2.41'].map((address) => {
      const endpoints = new KubernetesEndpoints({ address, port, leases });
      const { loopback, config } = server;
      // It is never ready, so that only the passes below run.
      const whenStarted = () => undefined;
      const hook = { signal: server.stopping, logger: config.logger, whenStarted, loopback };
      endpoints.start(hook);
      return endpoints;
    });
    const published = async () => {
      const slices = { group: 'discovery.k8s.io', version: 'v1', resource: 'endpointslices', namespace: 'default' };
      const { subsets } = await client.get(core('endpoints', 'default'), 'kubernetes');
      const slice = await client.get(slices, 'kubernetes');
      const [subset] = (subsets ?? []) as { addresses: { ip: string }[]; ports: { port: number }[] }[];
      const ips = subset?.addresses.map(({ ip }) => ip) ?? [];
      assert.deepEqual(
        ((slice['endpoints'] ?? []) as { addresses: string[] }[]).flatMap(({ addresses }) => addresses),
        ips,
      );
      return [ips, subset?.ports[0]?.port];
    };
    await one?.reconcile(client);
    await other?.reconcile(client);
    await one?.stop();
    assert.deepEqual(await published(), [['192.0.2.41'], 7443]);
    await other?.stop();
    assert.deepEqual([await published(), stored.size], [[[], undefined], 0]);
  });

  it('publishes a slice of the family of its address, and labels that somebody has removed', async () => {
    const { client } = kubeCore;
    const leases = {
      guaranteedUpdate: () => Promise.resolve(),
      list: () => Promise.resolve({ items: [] }),
    } as object as Storage;
    const slices = { group: 'discovery.k8s.io', version: 'v1', resource: 'endpointslices', namespace: 'default' };
    const publishedBy = async (address: string) => {
      await new KubernetesEndpoints({ address, port: () => 7443, leases }).reconcile(client);
      const { addressType, endpoints, metadata } = await client.get(slices, 'kubernetes');
      const [{ addresses } = { addresses: [] }] = endpoints as { addresses: string[] }[];
      return [addressType, ...addresses, metadata.labels];
    };
    const labels = { 'kubernetes.io/service-name': 'kubernetes' };
    assert.deepEqual(await publishedBy('192.0.2.50'), ['IPv4', '192.0.2.50', labels]);
    assert.deepEqual(await publishedBy('2001:db8::1'), ['IPv6', '2001:db8::1', labels]);
    await client.patch(slices, 'kubernetes', 'merge', { metadata: { labels: null } });
    const skip = 'endpointslice.kubernetes.io/skip-mirror';
    await client.patch(core('endpoints', 'default'), 'kubernetes', 'merge', { metadata: { labels: { [skip]: null } } });
    assert.deepEqual(await publishedBy('2001:db8::1'), ['IPv6', '2001:db8::1', labels]);
    const { metadata } = await client.get(core('endpoints', 'default'), 'kubernetes');
    assert.equal(metadata.labels?.[skip], 'true');
  });

  it('tells of what a repair found once, until it is gone', async () => {
    const object = await kubeCore.client.get(core('services', 'default'), 'kubernetes');
    const event = (note: string) =>
      ({ object, controller: 'portallocator-repair-controller', action: 'PortAllocation', reason: 'R', note }) as const;
    let found = [event('first')];
    const pass = serviceRepair({ nodePorts: () => Promise.resolve(found), clusterIps: () => Promise.resolve([]) });
    const events = { group: 'events.k8s.io', version: 'v1', resource: 'events', namespace: 'default' };
    const notes = async () => {
      await pass(hookContext());
      const { items } = await kubeCore.client.list(events, { fieldSelector: 'reason=R' });
      return items.map(({ note }) => String(note)).toSorted();
    };
    assert.deepEqual(await notes(), ['first']);
    found = [event('first'), event('second')];
    assert.deepEqual(await notes(), ['first', 'second']);
    found = [];
    await notes();
    found = [event('second')];
    assert.deepEqual(await notes(), ['first', 'second', 'second']);
    const { items } = await kubeCore.client.list(events, { fieldSelector: 'reason=R' });
    const [told] = items;
    assert.ok(told !== undefined);
    const { regarding, reportingController, type } = told;
    assert.equal((regarding as { uid: string }).uid, object.metadata.uid);
    assert.deepEqual([reportingController, type], ['portallocator-repair-controller', 'Warning']);
  });

  it('tells since when the use of token Secrets is noted', async () => {
    const place = { group: '', version: 'v1', resource: 'configmaps', namespace: 'kube-system' };
    const name = 'kube-apiserver-legacy-service-account-token-tracking';
    const context = hookContext();
    const since = async () => {
      await trackLegacyTokens(context);
      return ((await kubeCore.client.get(place, name)).data as { since: string }).since;
    };
    const today = await since();
    assert.match(today, /^\d{4}-\d{2}-\d{2}$/);
    for (const [stored, kept] of [
      ['2020-01-02', '2020-01-02'],
      ['9999-01-01', today],
      ['never', today],
    ]) {
      const present = await kubeCore.client.get(place, name);
      await kubeCore.client.update(place, { ...present, data: { since: stored } });
      assert.equal(await since(), kept);
    }
  });

  it('keeps up the objects of priority and fairness, and tells where a level is missing', async () => {
    const flow = (resource: string) => ({ group: 'flowcontrol.apiserver.k8s.io', version: 'v1', resource });
    const levels = flow('prioritylevelconfigurations');
    const schemas = flow('flowschemas');
    const autoUpdate = 'apf.kubernetes.io/autoupdate-spec';
    const limited = (object: KubeObject) =>
      (object.spec as { limited: { nominalConcurrencyShares: number; lendablePercent: number } }).limited;
    const write = async (name: string, change: (level: KubeObject) => KubeObject) =>
      kubeCore.client.update(levels, change(await kubeCore.client.get(levels, name)));
    const withShares = (level: KubeObject, nominalConcurrencyShares: number): KubeObject => ({
      ...level,
      spec: { type: 'Limited', limited: { ...limited(level), nominalConcurrencyShares } },
    });
    const context = hookContext();
    const before = await kubeCore.client.list(levels);
    await ensureFlowControl(context);
    assert.equal(
      (await kubeCore.client.list(levels)).metadata?.resourceVersion,
      before.metadata?.resourceVersion,
      'nothing to do',
    );

    await write('system', (level) => withShares(level, 31));
    await write('workload-high', (level) => ({
      ...withShares(level, 41),
      metadata: { ...level.metadata, annotations: { [autoUpdate]: 'false' } },
    }));
    await assert.rejects(
      write('catch-all', (level) => withShares(level, 6)),
      /spec of 'catch-all' must equal the fixed value/,
    );
    await write('catch-all', (level) => ({
      ...level,
      metadata: { ...level.metadata, annotations: { [autoUpdate]: 'false' } },
    }));
    await write('exempt', (level) => ({ ...level, spec: { type: 'Exempt', exempt: { nominalConcurrencyShares: 7 } } }));
    await kubeCore.client.delete(levels, 'node-high');
    await kubeCore.client.create(levels, {
      apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
      kind: 'PriorityLevelConfiguration',
      metadata: { name: 'of-another-version', annotations: { [autoUpdate]: 'true' } },
      spec: { type: 'Limited', limited: { nominalConcurrencyShares: 1, limitResponse: { type: 'Reject' } } },
    });
    await ensureFlowControl(context);
    assert.equal(limited(await kubeCore.client.get(levels, 'system')).nominalConcurrencyShares, 30);
    assert.equal(
      limited(await kubeCore.client.get(levels, 'workload-high')).nominalConcurrencyShares,
      41,
      'taken over',
    );
    const catchAll = await kubeCore.client.get(levels, 'catch-all');
    assert.equal(limited(catchAll).nominalConcurrencyShares, 5, 'mandatory');
    assert.equal(catchAll.metadata.annotations?.[autoUpdate], 'true');
    const { exempt } = (await kubeCore.client.get(levels, 'exempt')).spec as {
      exempt: { nominalConcurrencyShares: number };
    };
    assert.equal(exempt.nominalConcurrencyShares, 7, "the administrator's");
    assert.equal(limited(await kubeCore.client.get(levels, 'node-high')).nominalConcurrencyShares, 40);
    await assert.rejects(kubeCore.client.get(levels, 'of-another-version'), /not found/);

    await kubeCore.client.create(schemas, {
      apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
      kind: 'FlowSchema',
      metadata: { name: 'lost' },
      spec: { matchingPrecedence: 700, priorityLevelConfiguration: { name: 'missing' } },
    });
    const dangling = async (status: string) => {
      const schema = await kubeCore.client.get(schemas, 'lost');
      const { conditions = [] } = schema.status as { conditions?: { status: string; message: string }[] };
      if (conditions[0]?.status !== status) throw new Error(`the condition is ${JSON.stringify(conditions)}`);
      return conditions[0].message;
    };
    const reference = 'This FlowSchema references the PriorityLevelConfiguration object named "missing"';
    assert.equal(await eventually(() => dangling('True')), `${reference} but there is no such object`);
    await kubeCore.client.create(levels, {
      apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
      kind: 'PriorityLevelConfiguration',
      metadata: { name: 'missing' },
      spec: { type: 'Limited', limited: { nominalConcurrencyShares: 1, limitResponse: { type: 'Reject' } } },
    });
    assert.equal(await eventually(() => dangling('False')), `${reference} and it exists`);
  });

  it('has the default roles, and gives them back what they lack', async () => {
    const roles = { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'clusterroles' };
    const view = await kubeCore.client.get(roles, 'system:aggregate-to-view');
    assert.deepEqual(view.metadata.labels, {
      'kubernetes.io/bootstrapping': 'rbac-defaults',
      'rbac.authorization.k8s.io/aggregate-to-view': 'true',
    });
    await kubeCore.client.update(roles, { ...view, rules: [] });
    await reconcileDefaultRoles(hookContext());
    const again = await kubeCore.client.get(roles, 'system:aggregate-to-view');
    assert.ok(Array.isArray(again.rules) && again.rules.length > 10);
    assert.equal((await kubeCore.client.get(roles, 'admin')).rules, null);
  });

  it('closes public information to those to whom discovery was closed, when its binding is missing', async () => {
    const bindings = { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'clusterrolebindings' };
    const [source, target] = ['system:discovery', 'system:public-info-viewer'];
    const original = await kubeCore.client.get(bindings, source);
    const autoUpdate = 'rbac.authorization.kubernetes.io/autoupdate';
    const subjects = [{ apiGroup: bindings.group, kind: 'Group', name: 'devs' }];
    const closed = { ...original.metadata, annotations: { [autoUpdate]: 'false', reason: 'private' } };
    const changed = await kubeCore.client.update(bindings, { ...original, metadata: closed, subjects });
    try {
      await kubeCore.client.delete(bindings, target);
      await reconcileDefaultRoles(hookContext());
      const split = await kubeCore.client.get(bindings, target);
      assert.deepEqual(split['subjects'], subjects);
      assert.deepEqual(split.metadata.annotations, closed.annotations);
      // Without that annotation the default subjects are added.
      const open = { ...changed.metadata, annotations: { [autoUpdate]: 'true', reason: 'private' } };
      await kubeCore.client.update(bindings, { ...changed, metadata: open });
      await kubeCore.client.delete(bindings, target);
      await reconcileDefaultRoles(hookContext());
      const completed = await kubeCore.client.get(bindings, target);
      const names = (completed['subjects'] as { name: string }[]).map(({ name }) => name);
      assert.deepEqual(names, ['devs', 'system:authenticated', 'system:unauthenticated']);
      assert.equal(completed.metadata.annotations?.['reason'], 'private');
    } finally {
      for (const name of [source, target]) await kubeCore.client.delete(bindings, name);
      await reconcileDefaultRoles(hookContext());
    }
    const restored = (await kubeCore.client.get(bindings, target))['subjects'] as { name: string }[];
    assert.deepEqual(
      restored.map(({ name }) => name),
      ['system:authenticated', 'system:unauthenticated'],
    );
  });
});
