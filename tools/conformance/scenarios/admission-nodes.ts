import type { Scenario, Step } from '../scenario.ts';
import { rejected } from './admission-steps.ts';
import { get, jsonPatch, patch, post, put, remove } from './steps.ts';

const nodeName = 'conformance-{{run}}-node';
const kubelet = { 'impersonate-user': `system:node:${nodeName}`, 'impersonate-group': 'system:nodes' };
const asKubelet = { headers: kubelet };
const pods = '/api/v1/namespaces/{{ns}}/pods';
const nodes = '/api/v1/nodes';
const dryRun = { query: { dryRun: 'All' } };

const pod = (name: string, spec: object, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...metadata },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});
const node = (name: string, more: object = {}, labels: Readonly<Record<string, string>> = {}) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels },
  ...more,
});
const owner = { apiVersion: 'v1', kind: 'Node', name: nodeName, uid: '{{nodeUid}}', controller: true };
const mirror = (owners: readonly object[] = [owner]) => ({
  annotations: { 'kubernetes.io/config.mirror': 'x' },
  ownerReferences: owners,
});
const refusedPod = (name: string, spec: object, metadata: object = mirror()): Step =>
  post(name, pods, pod('m', { nodeName, ...spec }, metadata), { ...asKubelet, ...dryRun });
const mounting = (source: object) => ({ volumes: [{ name: 'v', ...source }] });
const token = (name: string, spec: object): Step =>
  post(
    name,
    '/api/v1/namespaces/{{ns}}/serviceaccounts/sa/token',
    { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec },
    { ...asKubelet, select: (body) => statusOnly(body) },
  );
/** Tokens differ from run to run. */
const statusOnly = (body: unknown): unknown => (isStatus(body) ? body : 'a token');
const isStatus = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'kind' in body && body.kind === 'Status';
const boundTo = (name: string, uid: string) => ({
  boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid },
});
const lease = (name: string) => ({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name }, spec: {} });
const leases = (namespace: string) => `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
const csiNode = (name: string) => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSINode',
  metadata: { name },
  spec: { drivers: [] },
});
const slice = (name: string) => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceSlice',
  metadata: { name: 'conformance-{{run}}-slice' },
  spec: { driver: 'd.example.com', nodeName: name, pool: { name: 'p', generation: 1, resourceSliceCount: 1 } },
});
const claimPath = '/api/v1/namespaces/{{ns}}/persistentvolumeclaims/c';

/** All rights for the kubelet, so that admission alone decides. Scenarios run at the same time, so each has a role of its own. */
const allRights: readonly Step[] = [
  post('a role with all rights', '/apis/rbac.authorization.k8s.io/v1/clusterroles', {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: '{{ns}}' },
    rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list', 'create', 'update', 'patch', 'delete'] }],
  }),
  post('its binding', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: '{{ns}}' },
    subjects: [{ kind: 'User', name: kubelet['impersonate-user'], apiGroup: 'rbac.authorization.k8s.io' }],
    roleRef: {
      kind: 'ClusterRole',
      name: '{{ns}}',
      apiGroup: 'rbac.authorization.k8s.io',
    },
  }),
  get('the right is there', nodes, {
    ...asKubelet,
    until: { status: 200 },
    select: (body) => (isStatus(body) ? body : 'a list'),
  }),
];

/** Where NodeRestriction is on, with any authorizers. */
export const admissionNodeScenarios: readonly Scenario[] = [
  {
    area: 'admission',
    name: 'what kubelets may write',
    steps: [
      ...allRights,
      post('another node', nodes, node('conformance-{{run}}-other'), asKubelet),
      post(
        'restricted labels',
        nodes,
        node(nodeName, {}, { 'node-restriction.kubernetes.io/a': 'b', 'k8s.io/c': '', 'kubernetes.io/hostname': 'x' }),
        asKubelet,
      ),
      post('a generated name', nodes, { apiVersion: 'v1', kind: 'Node', metadata: { generateName: 'g-' } }, asKubelet),
      {
        ...post('its own node', nodes, node(nodeName, {}, { own: 'x' }), asKubelet),
        save: { nodeUid: 'metadata.uid' },
      },
      patch('taints', `${nodes}/${nodeName}`, { spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } }, asKubelet),
      patch('labels', `${nodes}/${nodeName}`, { metadata: { labels: { 'x.k8s.io/a': 'b', own: 'y' } } }, asKubelet),
      patch(
        'allowed labels',
        `${nodes}/${nodeName}`,
        { metadata: { labels: { 'node.kubernetes.io/a': 'b' } } },
        asKubelet,
      ),
      patch(
        'owners',
        `${nodes}/${nodeName}`,
        { metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'c', uid: 'u' }] } },
        asKubelet,
      ),
      patch('its status', `${nodes}/${nodeName}/status`, { status: { phase: 'Running' } }, asKubelet),

      refusedPod('no mirror pod', {}, {}),
      refusedPod('a pod of another node', { nodeName: 'other' }),
      refusedPod('no owner', {}, mirror([])),
      refusedPod('two owners', {}, mirror([owner, { ...owner, name: 'other', controller: false }])),
      refusedPod('no controller', {}, mirror([{ ...owner, controller: false }])),
      refusedPod('another owner', {}, mirror([{ ...owner, name: 'other' }])),
      refusedPod('another uid', {}, mirror([{ ...owner, uid: 'other' }])),
      refusedPod('a blocking owner', {}, mirror([{ ...owner, blockOwnerDeletion: true }])),
      refusedPod('a service account', { serviceAccountName: 'sa' }),
      refusedPod('a secret', mounting({ secret: { secretName: 's' } })),
      refusedPod('a config map', mounting({ configMap: { name: 'c' } })),
      refusedPod('a claim', mounting({ persistentVolumeClaim: { claimName: 'c' } })),
      refusedPod('a CSI volume', mounting({ csi: { driver: 'd' } })),
      refusedPod('a token', mounting({ projected: { sources: [{ serviceAccountToken: { path: 't' } }] } })),
      post('a mirror pod', pods, pod('m', { nodeName }, mirror()), asKubelet),

      {
        ...post('a pod of the node', pods, pod('own', { nodeName, serviceAccountName: 'sa' })),
        save: { podUid: 'metadata.uid' },
      },
      {
        ...post('a pod elsewhere', pods, pod('elsewhere', { nodeName: 'other', serviceAccountName: 'sa' })),
        save: { elsewhereUid: 'metadata.uid' },
      },
      patch('a label', `${pods}/own`, { metadata: { labels: { a: 'b' } } }, asKubelet),
      patch('the status of its pod', `${pods}/own/status`, { status: { message: 'm' } }, asKubelet),
      patch('a label through the status', `${pods}/own/status`, { metadata: { labels: { a: 'b' } } }, asKubelet),
      patch(
        'claims of its pod',
        `${pods}/own/status`,
        { status: { resourceClaimStatuses: [{ name: 'r', resourceClaimName: 'x' }] } },
        asKubelet,
      ),
      patch('the status of another pod', `${pods}/elsewhere/status`, { status: { message: 'm' } }, asKubelet),
      patch('containers', `${pods}/own/ephemeralcontainers`, { spec: { ephemeralContainers: [] } }, asKubelet),
      post(
        'an eviction elsewhere',
        `${pods}/elsewhere/eviction`,
        { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'elsewhere' } },
        asKubelet,
      ),
      post(
        'an eviction of no pod',
        `${pods}/none/eviction`,
        { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'none' } },
        asKubelet,
      ),
      remove('a pod elsewhere is deleted', `${pods}/elsewhere`, asKubelet),
      remove('no pod is deleted', `${pods}/none`, asKubelet),

      post('an account', '/api/v1/namespaces/{{ns}}/serviceaccounts', {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: 'sa' },
      }),
      token('a free token', { audiences: ['a'] }),
      token('a token without the uid', boundTo('own', '')),
      token('a token for a stranger', boundTo('own', 'other')),
      token('a token elsewhere', boundTo('elsewhere', '{{elsewhereUid}}')),
      token('a token of no pod', boundTo('none', 'x')),
      token('two audiences', { ...boundTo('own', '{{podUid}}'), audiences: ['a', 'b'] }),
      token('an audience that no volume needs', { ...boundTo('own', '{{podUid}}'), audiences: ['vault'] }),

      post('a lease elsewhere', leases('{{ns}}'), lease(nodeName), asKubelet),
      post('a lease of another node', leases('kube-node-lease'), lease('conformance-{{run}}-other'), {
        ...asKubelet,
        ...dryRun,
      }),
      post(
        'a CSINode of another node',
        '/apis/storage.k8s.io/v1/csinodes',
        csiNode('conformance-{{run}}-other'),
        asKubelet,
      ),
      post('a slice of another node', '/apis/resource.k8s.io/v1/resourceslices', slice('other'), asKubelet),
      post('its slice', '/apis/resource.k8s.io/v1/resourceslices', slice(nodeName), { ...asKubelet, ...dryRun }),

      post('a claim of volumes', '/api/v1/namespaces/{{ns}}/persistentvolumeclaims', {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'c' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, storageClassName: '' },
      }),
      patch('its labels', claimPath, { metadata: { labels: { a: 'b' } } }, asKubelet),
      patch('its capacity', `${claimPath}/status`, { status: { capacity: { storage: '1Gi' } } }, asKubelet),
      patch('its phase', `${claimPath}/status`, { status: { phase: 'Bound' } }, asKubelet),

      remove('another node is deleted', `${nodes}/conformance-{{run}}-other`, asKubelet),
      remove('its node is deleted', `${nodes}/${nodeName}`, asKubelet),
    ],
  },
  {
    area: 'admission',
    name: 'several plugins refuse',
    steps: [
      ...allRights,
      patch('enforce', '/api/v1/namespaces/{{ns}}', {
        metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'baseline' } },
      }),
      post('limits', '/api/v1/namespaces/{{ns}}/limitranges', {
        apiVersion: 'v1',
        kind: 'LimitRange',
        metadata: { name: 'l' },
        spec: { limits: [{ type: 'Pod', max: { cpu: '1' } }] },
      }),
      post('a quota', '/api/v1/namespaces/{{ns}}/resourcequotas', {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'q' },
        spec: { hard: { pods: '0' } },
      }),
      patch('its status', '/api/v1/namespaces/{{ns}}/resourcequotas/q/status', {
        status: { hard: { pods: '0' }, used: { pods: '0' } },
      }),
      {
        ...post('all is in force', pods, withCpu('quiet', '1'), dryRun),
        until: rejected,
      },
      {
        ...post('the limits are in force', pods, withCpu('quiet', '2'), dryRun),
        until: { path: 'details.kind', equals: 'pods' },
      },
      ...faults().map(([name, spec, more]) => post(name, pods, pod('p', spec), { ...dryRun, ...more })),
      put('no pod to change', `${pods}/none`, pod('none', {}), asKubelet),
      patch('no pod to patch', `${pods}/none`, [{ op: 'add', path: '/metadata/labels', value: {} }], {
        headers: { ...kubelet, ...jsonPatch.headers },
      }),
    ],
  },
];

function withCpu(name: string, cpu: string) {
  return pod(name, { containers: [{ name: 'c', image: 'i', resources: { limits: { cpu } } }] });
}

/** Pods with one fault less from step to step. */
function faults(): readonly (readonly [name: string, spec: object, more: Partial<Step>])[] {
  const containers = (cpu: string, privileged: boolean) => [
    { name: 'c', image: 'i', resources: { limits: { cpu } }, securityContext: { privileged } },
  ];
  const faulty = { priorityClassName: 'gone', runtimeClassName: 'gone', containers: containers('2', true) };
  return [
    ['nodes, priority, runtime class, limits, security, quota', faulty, asKubelet],
    ['priority, runtime class, limits, security, quota', faulty, {}],
    ['runtime class, limits, security, quota', { ...faulty, priorityClassName: '' }, {}],
    ['limits, security, quota', { containers: containers('2', true) }, {}],
    ['security, quota', { containers: containers('1', true) }, {}],
    ['quota', { containers: containers('1', false) }, {}],
  ];
}
