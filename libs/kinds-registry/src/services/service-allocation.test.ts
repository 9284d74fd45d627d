import assert from 'node:assert/strict';
import type { KubeObject } from '@apichain/meta';
import { KeyExistsError, KeyNotFoundError, type Storage } from '@apichain/storage';
import type { RequestContext } from '@apichain/request';
import { ClusterIpAllocator, parseServiceRanges } from './cluster-ip-allocator.ts';
import { NodePortAllocator } from './node-port-allocator.ts';
import { parsePortRange } from './port-range.ts';
import { serviceAllocationHooks } from './service-allocation.ts';

/** The part of a store that the allocators use. */
function memoryStorage(objects = new Map<string, KubeObject>()): Storage {
  const stored = (key: string) => {
    const object = objects.get(key);
    if (object === undefined) throw new KeyNotFoundError(key);
    return { parse: () => structuredClone(object) };
  };
  const methods: Record<string, unknown> = {
    create: (key: string, object: KubeObject) => {
      if (objects.has(key)) return Promise.reject(new KeyExistsError(key));
      objects.set(key, object);
      return Promise.resolve(stored(key));
    },
    get: (key: string) => Promise.resolve().then(() => stored(key)),
    list: () => Promise.resolve({ items: [...objects.keys()].map(stored), revision: 1 }),
    delete: (key: string) => {
      if (!objects.delete(key)) return Promise.reject(new KeyNotFoundError(key));
      return Promise.resolve();
    },
    guaranteedUpdate: async (key: string, options: { tryUpdate: (c: unknown) => Promise<{ object: KubeObject }> }) => {
      objects.set(key, (await options.tryUpdate(objects.has(key) ? stored(key) : undefined)).object);
      return stored(key);
    },
  };
  return methods as object as Storage;
}

const service = (spec: Record<string, unknown>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 's', namespace: 'n' },
  spec: { type: 'ClusterIP', ports: [{ port: 80, protocol: 'TCP' }], ...spec },
});
const specOf = (object: KubeObject) => object.spec as Record<string, unknown>;
const ctx = {} as RequestContext;

describe('service allocation', () => {
  let ips: Map<string, KubeObject>;
  let ranges: Map<string, KubeObject>;
  let failures: string[];
  let hooks: ReturnType<typeof serviceAllocationHooks>;
  const create = async (object: KubeObject, ok = true, dryRun = false) =>
    (await hooks.beginCreate?.(ctx, object, dryRun))?.(ok);

  beforeEach(() => {
    ips = new Map();
    ranges = new Map();
    failures = [];
    const addresses = memoryStorage(ips);
    const cidrs = memoryStorage();
    hooks = serviceAllocationHooks({
      clusterIps: new ClusterIpAllocator(
        { ipAddresses: () => addresses, serviceCidrs: () => cidrs },
        parseServiceRanges('10.0.0.0/28'),
      ),
      nodePorts: new NodePortAllocator(memoryStorage(ranges), parsePortRange('30000-30003'), () => Promise.resolve()),
      deleteEndpoints: () => Promise.resolve(),
      reportFailure: (error, message) => void failures.push(`${message}: ${String(error)}`),
    });
  });

  it('allocates a cluster IP from the range, and releases it', async () => {
    const object = service({});
    await create(object);
    assert.match(String(specOf(object).clusterIP), /^10\.0\.0\.\d+$/);
    assert.deepEqual(specOf(object).ipFamilies, ['IPv4']);
    assert.equal(specOf(object).ipFamilyPolicy, 'SingleStack');
    assert.equal(ips.size, 1);
    await hooks.afterDelete?.(ctx, object, false);
    assert.equal(ips.size, 0);
  });

  it('releases all allocations when the write fails', async () => {
    await create(service({ type: 'NodePort' }), false);
    assert.equal(ips.size, 0);
    for (let i = 0; i < 4; i++) await create(service({ type: 'NodePort' }));
    await assert.rejects(create(service({ type: 'NodePort' })), /failed to allocate a nodePort: range is full/);
    assert.equal(ips.size, 4);
  });

  it('refuses an address or port that is allocated or outside the range', async () => {
    await create(service({ clusterIP: '10.0.0.5', clusterIPs: ['10.0.0.5'] }));
    await assert.rejects(create(service({ clusterIP: '10.0.0.5' })), /provided IP is already allocated/);
    await create(service({ clusterIP: '10.0.0.5' }), true, true);
    await assert.rejects(create(service({ clusterIP: '10.9.0.5' })), /does not match the current range/);
    await assert.rejects(create(service({ clusterIP: '10.0.0.15' })), /does not match the current range/);
    const port = (nodePort: number) => service({ type: 'NodePort', ports: [{ port: 80, protocol: 'TCP', nodePort }] });
    await create(port(30001));
    await assert.rejects(create(port(30001)), /provided port is already allocated/);
    await assert.rejects(create(port(29999)), /The range of valid ports is 30000-30003/);
  });

  it('shares one node port between new ports of one number', async () => {
    const ports = (...given: [number, string, number?][]) =>
      given.map(([port, protocol, nodePort]) => ({ port, protocol, ...(nodePort === undefined ? {} : { nodePort }) }));
    const nodePorts = (object: KubeObject) => (specOf(object).ports as { nodePort: number }[]).map((p) => p.nodePort);
    const shared = service({ type: 'NodePort', ports: ports([53, 'TCP'], [53, 'UDP', 30001]) });
    await create(shared);
    assert.deepEqual(nodePorts(shared), [30001, 30001]);
    const twice = service({ type: 'NodePort', ports: ports([80, 'TCP', 30002], [81, 'UDP', 30002]) });
    await assert.rejects(create(twice), /spec\.ports\[1\]\.nodePort: Invalid value: 30002: provided port is already/);
  });

  it('allocates a node port for each port that an update adds, and refuses a repeated pair', async () => {
    const old = service({ ports: [] });
    const change = async (ports: object[], dryRun: boolean) => {
      const changed = service({ type: 'NodePort', ports });
      await (
        await hooks.beginUpdate?.(ctx, changed, old, dryRun)
      )?.(true);
      return (specOf(changed).ports as { nodePort: number }[]).map((p) => p.nodePort);
    };
    const both = [
      { port: 53, protocol: 'TCP' },
      { port: 53, protocol: 'UDP' },
    ];
    const pair = both.map((port) => ({ ...port, protocol: 'TCP', nodePort: 30003 }));
    await assert.rejects(change(pair, true), /^StatusError: duplicate nodePort: \{TCP 30003\}$/);
    assert.deepEqual(await change(structuredClone(both), true), [32769, 32770]);
    assert.equal(new Set(await change(structuredClone(both), false)).size, 2);
  });

  it('allocates after the requested ports in a dry run, which checks allocated ports but not the range', async () => {
    await create(service({ type: 'NodePort', ports: [{ port: 80, protocol: 'TCP', nodePort: 30000 }] }));
    const taken = service({ type: 'NodePort', ports: [{ port: 80, protocol: 'TCP', nodePort: 30000 }] });
    await assert.rejects(create(taken, true, true), /provided port is already allocated/);
    const object = service({
      type: 'LoadBalancer',
      externalTrafficPolicy: 'Local',
      ports: [{ port: 80, protocol: 'TCP', nodePort: 80 }],
    });
    await create(object, true, true);
    assert.equal(specOf(object).healthCheckNodePort, 81);
  });

  it('reports what a deletion or a write that was committed could not release, instead of failing', async () => {
    const object = service({ type: 'NodePort' });
    await create(object);
    const finish = await hooks.beginUpdate?.(ctx, service({}), object, false);
    ranges.set('/ranges/servicenodeports', { apiVersion: 'v1', kind: 'RangeAllocation', metadata: {}, range: 'x' });
    await finish?.(true);
    await hooks.afterDelete?.(ctx, object, false);
    assert.equal(ips.size, 0);
    assert.equal(failures.length, 2);
    assert.match(failures[1] ?? '', /^error releasing node ports 3000\d, 0: Error: strconv\.Atoi: parsing "x"/);
  });

  it('allocates nothing in a dry run', async () => {
    const object = service({ type: 'NodePort' });
    await create(object, true, true);
    assert.equal(specOf(object).clusterIP, '10.0.0.0');
    assert.equal(ips.size, 0);
  });

  it('reports the policy that conflicts with two families', async () => {
    const both = { ipFamilies: ['IPv4', 'IPv6'] };
    const refused =
      /ipFamilyPolicy: Invalid value: "SingleStack": must be 'RequireDualStack' or 'PreferDualStack' when/;
    await assert.rejects(create(service(both)), refused);
    await assert.rejects(create(service({ ...both, clusterIP: 'None', ipFamilyPolicy: 'SingleStack' })), refused);
    const old = service({ ...both, clusterIP: 'None', clusterIPs: ['None'], ipFamilyPolicy: 'RequireDualStack' });
    const reduced = service({ ...specOf(old), ipFamilies: ['IPv4'], ipFamilyPolicy: 'PreferDualStack' });
    const update = async (object: KubeObject) => hooks.beginUpdate?.(ctx, object, old, true);
    await assert.rejects(update(reduced), /must be 'SingleStack' to release the secondary IP family/);
    const released = service({ ...specOf(old), ipFamilyPolicy: 'SingleStack' });
    await update(released);
    assert.deepEqual(specOf(released).ipFamilies, ['IPv4']);
  });

  it('allocates no address for headless and external services', async () => {
    const headless = service({ clusterIP: 'None', selector: { a: 'b' } });
    await create(headless);
    assert.deepEqual(specOf(headless).clusterIPs, ['None']);
    await create(service({ type: 'ExternalName', externalName: 'x.example.com' }));
    assert.equal(ips.size, 0);
  });

  it('keeps values that an update omits and releases those that it removes', async () => {
    const old = service({ type: 'NodePort' });
    await create(old);
    const ip = specOf(old).clusterIP;
    const kept = service({ type: 'NodePort' });
    await (
      await hooks.beginUpdate?.(ctx, kept, old, false)
    )?.(true);
    assert.equal(specOf(kept).clusterIP, ip);
    assert.deepEqual(specOf(kept).ports, specOf(old).ports);
    const external = service({ type: 'ExternalName', externalName: 'x.example.com', ports: [] });
    await (
      await hooks.beginUpdate?.(ctx, external, kept, false)
    )?.(true);
    assert.equal(ips.size, 0);
  });

  it('keeps a node port that two ports of a number share', async () => {
    const ports = () => [
      { name: 'u', port: 53, protocol: 'UDP' },
      { name: 't', port: 53, protocol: 'TCP' },
    ];
    const old = service({ type: 'NodePort', ports: ports() });
    await create(old);
    const sent = service({ type: 'NodePort', ports: ports() });
    await (
      await hooks.beginUpdate?.(ctx, sent, old, false)
    )?.(true);
    assert.deepEqual(specOf(sent).ports, specOf(old).ports);
  });
});
