import assert from 'node:assert/strict';
import { httpTransport, RestClient } from '@apichain/client';
import type { KubeObject } from '@apichain/meta';
import { eventually } from '@apichain/meta/until.fixture';
import { core, TestKubeCore } from './kube-core.fixture.ts';

describe('kube-core', function () {
  const kubeCore = new TestKubeCore();

  it('refuses content in a namespace that is not there, and the deletion of system namespaces', async () => {
    const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
    await assert.rejects(
      kubeCore.client.create(core('configmaps', 'nowhere'), configMap),
      /namespaces "nowhere" not found/,
    );
    await assert.rejects(kubeCore.client.delete(core('namespaces'), 'default'), /this namespace may not be deleted/);
  });

  it('marks a deleted namespace and removes it when it is finalized', async () => {
    await kubeCore.client.create(core('namespaces'), {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'gone' },
    });
    await kubeCore.client.delete(core('namespaces'), 'gone');
    const marked = await kubeCore.client.get(core('namespaces'), 'gone');
    assert.deepEqual(marked.status, { phase: 'Terminating' });
    await kubeCore.client.update(
      core('namespaces'),
      { ...marked, spec: { finalizers: [] } },
      { subresource: 'finalize' },
    );
    await assert.rejects(kubeCore.client.get(core('namespaces'), 'gone'), /namespaces "gone" not found/);
  });

  it('counts allocations of cluster IPs and node ports in the metrics', async () => {
    const service = (name: string, spec: object = {}): KubeObject => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name },
      spec: { ports: [{ port: 80 }], ...spec },
    });
    const services = core('services', 'default');
    const create = (object: KubeObject) => kubeCore.client.create(services, object);
    const values = async () => {
      const text = await kubeCore.server.metrics.metrics();
      const lines = [...text.matchAll(/^kube_apiserver_(\w+_allocator_\w+(?:\{[^}]*\})?) (\d+)$/gm)];
      return new Map(lines.map(([, series = '', value]) => [series.replace('cidr="10.7.0.0/16"', 'C'), Number(value)]));
    };
    const before = await values();
    await create(service('any'));
    await create(service('chosen', { clusterIP: '10.7.1.1', type: 'NodePort' }));
    await assert.rejects(create(service('taken', { clusterIP: '10.7.1.1' })), /already allocated/);
    await assert.rejects(create(service('elsewhere', { clusterIP: '10.8.1.1' })), /does not match the current range/);
    const taken = { type: 'NodePort', ports: [{ port: 80, nodePort: 30_123 }] };
    await create(service('port', taken));
    await assert.rejects(create(service('same-port', taken)), /already allocated/);
    const allocatedIps = 'clusterip_allocator_allocated_ips{C}';
    let after = await values();
    // Addresses are counted in the watch cache, which may have one yet that was released a moment ago. The fourth is that of the service kubernetes.
    while (after.get(allocatedIps) !== 4) after = await values();
    const grown = (series: string) => (after.get(series) ?? 0) - (before.get(series) ?? 0);
    assert.deepEqual(
      [
        'clusterip_allocator_allocation_total{C,scope="dynamic"}',
        'clusterip_allocator_allocation_total{C,scope="static"}',
        'clusterip_allocator_allocation_errors_total{C,scope="static"}',
        'nodeport_allocator_allocation_total{scope="dynamic"}',
        'nodeport_allocator_allocation_total{scope="static"}',
        'nodeport_allocator_allocation_errors_total{scope="static"}',
      ].map(grown),
      [3, 1, 1, 1, 1, 1],
    );
    assert.equal(after.get('clusterip_allocator_available_ips{C}'), 65_534 - 4);
    assert.equal(after.get('clusterip_allocator_allocation_duration_seconds_count{C}'), 5);
    assert.equal(after.get('nodeport_allocator_allocated_ports'), 2);
    assert.equal(after.get('nodeport_allocator_available_ports'), 2768 - 2);
    await kubeCore.client.delete(services, 'port');
    assert.equal((await values()).get('nodeport_allocator_allocated_ports'), 1);
    for (const name of ['any', 'chosen']) await kubeCore.client.delete(services, name);
  });

  it('binds a pod to a node once, with labels that nobody checks', async () => {
    const pods = core('pods', 'default');
    await kubeCore.client.create(pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    });
    const binding = {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name: 'p', labels: { 'not a label': 'x' } },
      target: { kind: 'Node', name: 'n1' },
    };
    await kubeCore.client.request('POST', '/api/v1/namespaces/default/pods/p/binding', undefined, binding);
    const bound = await kubeCore.client.get(pods, 'p');
    assert.equal((bound.spec as { nodeName: string }).nodeName, 'n1');
    assert.deepEqual(bound.metadata.labels, { 'not a label': 'x' });
    assert.equal(bound.metadata.generation, 1);
    await assert.rejects(
      kubeCore.client.request('POST', '/api/v1/namespaces/default/pods/p/binding', undefined, binding),
      /pod p is already assigned to node "n1"/,
    );
  });

  it('replaces what a scheduler wrote about a pod when it binds the pod', async () => {
    const pods = core('pods', 'default');
    await kubeCore.client.create(pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'late' },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    });
    const waiting = {
      type: 'PodScheduled',
      status: 'False',
      reason: 'Unschedulable',
      message: 'no node fits',
      observedGeneration: 1,
      lastProbeTime: '2020-01-01T00:00:00Z',
      lastTransitionTime: '2020-01-01T00:00:00Z',
    };
    const status = { nominatedNodeName: 'n2', conditions: [waiting] };
    await kubeCore.client.patch(pods, 'late', 'strategic', { status }, { subresource: 'status' });
    const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'late' }, target: { name: 'n1' } };
    await kubeCore.client.request('POST', '/api/v1/namespaces/default/pods/late/binding', undefined, binding);
    const bound = await kubeCore.client.get(pods, 'late');
    const { conditions, nominatedNodeName } = bound.status as {
      conditions: readonly { lastTransitionTime: string }[];
      nominatedNodeName?: string;
    };
    assert.equal(nominatedNodeName, undefined);
    const [{ lastTransitionTime = '' } = {}] = conditions;
    assert.notEqual(lastTransitionTime, waiting.lastTransitionTime);
    assert.deepEqual(conditions, [{ type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime }]);
  });

  it('evicts the pod that is meant, unless it is a rehearsal', async () => {
    const pods = core('pods', 'default');
    await kubeCore.client.create(pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'evicted' },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    });
    const evict = (deleteOptions: Record<string, unknown>, version = 'v1') =>
      kubeCore.client.request('POST', '/api/v1/namespaces/default/pods/evicted/eviction', undefined, {
        apiVersion: `policy/${version}`,
        kind: 'Eviction',
        metadata: { name: 'evicted' },
        deleteOptions,
      });
    await assert.rejects(
      evict({ preconditions: { uid: 'other' } }),
      /Operation cannot be fulfilled on Pod "evicted": the UID in the precondition \(other\) does not match/,
    );
    await assert.rejects(
      evict({ ignoreStoreReadErrorWithClusterBreakingPotential: true }),
      /Eviction.policy "evicted" is invalid: .* can not be set for pod eviction/,
    );
    await evict({ dryRun: ['All'] });
    assert.equal((await kubeCore.client.get(pods, 'evicted')).metadata.name, 'evicted');
    await evict({}, 'v1beta1');
    await assert.rejects(kubeCore.client.get(pods, 'evicted'), /pods "evicted" not found/);
  });

  it('leaves what is kept as it was written to an apply that changes nothing of it, and orders it otherwise', async () => {
    const claims = { group: 'resource.k8s.io', version: 'v1', resource: 'resourceclaims', namespace: 'default' };
    const requests = [{ name: 'r', exactly: { deviceClassName: 'c' } }];
    const config = [{ opaque: { driver: 'a.b', parameters: { b: 1, a: 2 } } }];
    const named = { apiVersion: 'resource.k8s.io/v1', kind: 'ResourceClaim', metadata: { name: 'kept' } };
    await kubeCore.client.create(claims, { ...named, spec: { devices: { requests, config } } });
    const path = '/apis/resource.k8s.io/v1/namespaces/default/resourceclaims/kept';
    const patch = (type: string, body: object) =>
      kubeCore.client.request('PATCH', path, { fieldManager: 'm' }, body, `application/${type}`) as Promise<KubeObject>;
    const devices = {
      requests: [{ ...requests[0], exactly: { ...requests[0]?.exactly, allocationMode: 'ExactCount', count: 1 } }],
    };
    const applied = await patch('apply-patch+yaml', { ...named, spec: { devices } });
    assert.deepEqual(applied.metadata.managedFields?.map(({ operation }) => operation).toSorted(), ['Apply', 'Update']);
    assert.match(JSON.stringify(applied.spec), /"parameters":\{"b":1,"a":2\}/);
    const labelled = { metadata: { labels: { a: 'b' } } };
    await assert.rejects(
      patch('strategic-merge-patch+json', labelled),
      /"kept" is invalid: spec: Invalid value: .*"Parameters":\{"a":2,"b":1\}.*: field is immutable/,
    );
  });

  it('shows a Scale as a row', async () => {
    const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    await kubeCore.client.create(
      { group: 'apps', version: 'v1', resource: 'deployments', namespace: 'default' },
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'scaled' },
        spec: { replicas: 3, selector: { matchLabels: { app: 'a' } }, template },
      },
    );
    const path = '/apis/apps/v1/namespaces/default/deployments/scaled/scale';
    const table = await kubeCore.client.read(path, 'application/json;as=Table;v=v1;g=meta.k8s.io');
    const { rows } = table as { rows: { cells: unknown[] }[] };
    assert.deepEqual(rows[0]?.cells.slice(0, 3), ['scaled', 3, 0]);
  });

  it('lets a service account do what a role bound to it grants', async () => {
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'reader' } };
    await kubeCore.client.create(core('serviceaccounts', 'default'), account);
    const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: {}, spec: {} };
    const path = '/api/v1/namespaces/default/serviceaccounts/reader/token';
    const issued = (await kubeCore.client.request('POST', path, undefined, request)) as { status: { token: string } };
    const { url, ca } = kubeCore.server.loopback;
    const reader = new RestClient(httpTransport({ url, token: issued.status.token, ca }));
    const pods = core('pods', 'default');
    await assert.rejects(reader.list(pods), /User "system:serviceaccount:default:reader" cannot list resource "pods"/);
    const rbac = (resource: string) => ({
      group: 'rbac.authorization.k8s.io',
      version: 'v1',
      resource,
      namespace: 'default',
    });
    const apiVersion = 'rbac.authorization.k8s.io/v1';
    await kubeCore.client.create(rbac('rolebindings'), {
      apiVersion,
      kind: 'RoleBinding',
      metadata: { name: 'reader' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
      subjects: [{ kind: 'ServiceAccount', name: 'reader' }],
    });
    await kubeCore.client.create(rbac('roles'), {
      apiVersion,
      kind: 'Role',
      metadata: { name: 'reader' },
      rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['list'] }],
    });
    await eventually(() => reader.list(pods));
    await kubeCore.client.delete(core('serviceaccounts', 'default'), 'reader');
    await reader.close();
  });
});
