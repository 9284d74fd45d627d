import assert from 'node:assert/strict';
import type { Endpoints, Pod, Service } from '@apichain/api/core/v1';
import type { EndpointSlice } from '@apichain/api/discovery/v1';
import { WorkloadChain, soon } from './workload-chain.ts';

const node = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n1', labels: { 'topology.kubernetes.io/zone': 'z1' } },
};

describe('controllers of endpoints', function () {
  this.timeout(480_000);

  async function addPod(
    chain: WorkloadChain,
    name: string,
    ip: string,
    ready = true,
    more: object = {},
  ): Promise<void> {
    await chain.create<Pod>('pods', {
      kind: 'Pod',
      metadata: { name, labels: { app: 'web' } },
      spec: {
        nodeName: 'n1',
        containers: [{ name: 'web', image: 'nginx', ports: [{ name: 'http', containerPort: 8080 }] }],
        ...more,
      },
    });
    await setReady(chain, name, ip, ready);
  }
  const setReady = (chain: WorkloadChain, name: string, ip: string, ready: boolean) =>
    chain.setStatus('pods', name, {
      phase: 'Running',
      podIP: ip,
      podIPs: [{ ip }],
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: '2026-01-01T00:00:00Z' }],
    });
  const slicesOf = (chain: WorkloadChain, service: string) =>
    chain.list<EndpointSlice>('endpointslices', `kubernetes.io/service-name=${service}`);

  it('follow the pods of a service', async () => {
    await using chain = await WorkloadChain.start(['endpoint', 'endpointslice'], [node]);
    await chain.create<Service>('services', {
      kind: 'Service',
      metadata: { name: 'web', labels: { tier: 'front' } },
      spec: {
        selector: { app: 'web' },
        trafficDistribution: 'PreferSameNode',
        ports: [
          { name: 'http', port: 80, targetPort: 'http' },
          { name: 'admin', port: 81, targetPort: 9090 },
        ],
      },
    });
    const [empty] = await soon(async () => {
      const slices = await slicesOf(chain, 'web');
      assert.equal(slices.length, 1);
      return slices;
    });
    assert.equal(empty?.endpoints ?? null, null);
    await addPod(chain, 'a', '10.0.0.1');
    await addPod(chain, 'b', '10.0.0.2', false);
    await soon(async () => {
      const { metadata, subsets } = await chain.get<Endpoints>('endpoints', 'web');
      assert.deepEqual(metadata.labels, { tier: 'front', 'endpoints.kubernetes.io/managed-by': 'endpoint-controller' });
      const [subset] = subsets ?? [];
      assert.deepEqual(
        subset?.addresses?.map(({ ip, nodeName, targetRef }) => [ip, nodeName, targetRef?.name]),
        [['10.0.0.1', 'n1', 'a']],
      );
      assert.deepEqual(
        subset.notReadyAddresses?.map(({ ip }) => ip),
        ['10.0.0.2'],
      );
      assert.deepEqual(subset.ports?.map(({ name, port }) => `${name}=${port}`).sort(), ['admin=9090', 'http=8080']);
    });
    await soon(async () => {
      const [slice, ...more] = await slicesOf(chain, 'web');
      assert.equal(more.length, 0);
      assert.equal(slice?.metadata.name, empty?.metadata.name, 'the slice without endpoints is used');
      assert.deepEqual(slice?.metadata.labels, {
        tier: 'front',
        'kubernetes.io/service-name': 'web',
        'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
      });
      const endpoints = (slice?.endpoints ?? []).map(({ addresses, conditions, zone, hints }) => ({
        addresses,
        conditions,
        zone,
        hints,
      }));
      assert.deepEqual(endpoints, [
        {
          addresses: ['10.0.0.1'],
          conditions: { ready: true, serving: true, terminating: false },
          zone: 'z1',
          hints: { forZones: [{ name: 'z1' }], forNodes: [{ name: 'n1' }] },
        },
        {
          addresses: ['10.0.0.2'],
          conditions: { ready: false, serving: false, terminating: false },
          zone: 'z1',
          hints: undefined,
        },
      ]);
    });
    await chain.delete('services', 'web');
    await soon(async () => {
      await assert.rejects(chain.get('endpoints', 'web'), { reason: 'NotFound' });
    });
  });

  it('publish pods that are not ready, host names of a headless service, and at most 100 endpoints a slice', async () => {
    await using chain = await WorkloadChain.start(['endpoint', 'endpointslice'], [node]);
    await chain.create<Service>('services', {
      kind: 'Service',
      metadata: { name: 'db' },
      spec: { selector: { app: 'web' }, clusterIP: 'None', publishNotReadyAddresses: true },
    });
    await addPod(chain, 'db-0', '10.0.0.1', false, { hostname: 'db-0', subdomain: 'db' });
    await soon(async () => {
      const { metadata, subsets } = await chain.get<Endpoints>('endpoints', 'db');
      assert.equal(metadata.labels?.['service.kubernetes.io/headless'], '');
      assert.deepEqual(
        subsets?.[0]?.addresses?.map(({ ip, hostname }) => [ip, hostname]),
        [['10.0.0.1', 'db-0']],
      );
    });
    // A few at a time: each request has a minute, also on a busy machine.
    for (let i = 0; i < 100; i += 10)
      await Promise.all(Array.from({ length: 10 }, (_, k) => addPod(chain, `more-${i + k}`, `10.0.1.${i + k}`)));
    await soon(async () => {
      const slices = await slicesOf(chain, 'db');
      const sizes = slices.map(({ endpoints }) => endpoints?.length ?? 0);
      // How many are in each depends on how many pods there were at each look, as in kube-controller-manager.
      assert.equal(sizes.length, 2);
      assert.equal(
        sizes.reduce((sum, size) => sum + size, 0),
        101,
      );
      assert.ok(sizes.every((size) => size <= 100));
      const first = slices.flatMap(({ endpoints }) => endpoints ?? []).find(({ hostname }) => hostname === 'db-0');
      assert.deepEqual(first?.conditions, { ready: true, serving: false, terminating: false });
    });
  });

  it('mirror endpoints of a service without selector', async () => {
    await using chain = await WorkloadChain.start(['endpointslicemirroring']);
    await chain.create<Service>('services', {
      kind: 'Service',
      metadata: { name: 'outside' },
      spec: { ports: [{ port: 80 }] },
    });
    await chain.create<Endpoints>('endpoints', {
      kind: 'Endpoints',
      metadata: { name: 'outside', labels: { by: 'hand' } },
      subsets: [
        {
          addresses: [{ ip: '192.0.2.1' }, { ip: '2001:db8::1' }],
          notReadyAddresses: [{ ip: '192.0.2.2' }],
          ports: [{ port: 8080 }],
        },
      ],
    });
    await soon(async () => {
      const slices = await slicesOf(chain, 'outside');
      const texts = slices.map(({ addressType, endpoints, metadata }) => {
        const shown = (endpoints ?? []).map(({ addresses, conditions }) => `${addresses?.[0]} ${conditions?.ready}`);
        return `${addressType} ${metadata.labels?.['by']} ${metadata.ownerReferences?.[0]?.kind}: ${shown.join(', ')}`;
      });
      assert.deepEqual(texts.sort(), [
        'IPv4 hand Endpoints: 192.0.2.1 true, 192.0.2.2 false',
        'IPv6 hand Endpoints: 2001:db8::1 true',
      ]);
    });
    await chain.delete('endpoints', 'outside');
    await soon(async () => assert.equal((await slicesOf(chain, 'outside')).length, 0));
  });
});
