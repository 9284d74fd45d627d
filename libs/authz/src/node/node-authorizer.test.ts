import assert from 'node:assert/strict';
import { attributesOf } from '../attributes.fixture.ts';
import type { KubeObject } from '@apichain/meta';
import type { AuthorizationAttributes, AuthorizationResult } from '../authorizer.ts';
import { NodeAuthorizer } from './node-authorizer.ts';
import { NodeGraph } from './node-graph.ts';

const kubelet = (name: string) => ({ name: `system:node:${name}`, uid: '', groups: ['system:nodes'], extra: {} });
const nothing = { apiVersion: 'v1', kind: 'X', metadata: {} };

function pod(name: string, spec: Record<string, unknown>, more: Record<string, unknown> = {}): KubeObject {
  return { ...nothing, metadata: { name, namespace: 'ns', ...more }, spec };
}

type Asked = Partial<AuthorizationAttributes>;

describe('the Node authorizer', () => {
  let graph: NodeGraph;
  let authorizer: NodeAuthorizer;
  beforeEach(() => {
    graph = new NodeGraph();
    authorizer = new NodeAuthorizer(graph);
  });

  const resultFor = (asked: Asked): AuthorizationResult => {
    const result = authorizer.authorize(attributesOf({ user: kubelet('n1'), resource: '', namespace: '', ...asked }));
    assert.ok(!(result instanceof Promise));
    return result;
  };
  const allows = (asked: Asked) => resultFor(asked).decision === 'Allow';
  const refusal = (asked: Asked) => {
    const { decision, reason } = resultFor(asked);
    assert.equal(decision, 'NoOpinion');
    return reason;
  };
  const inNamespace = (resource: string, name: string): Asked => ({ resource, namespace: 'ns', name });

  it('has no opinion about users that are not nodes', () => {
    const user = { name: 'bob', uid: '', groups: ['system:nodes'], extra: {} };
    assert.equal(refusal({ user, resource: 'services' }), '');
    assert.equal(refusal({ user: { ...user, name: 'system:node:n1', groups: [] }, resource: 'services' }), '');
    assert.equal(
      refusal({ user: { ...user, name: 'system:node:' }, resource: 'services' }),
      'unknown node for user "system:node:"',
    );
  });

  it('applies the rules of system:node to objects without a node', () => {
    assert.ok(allows({ resource: 'services', verb: 'list' }));
    assert.ok(allows({ resource: 'tokenreviews', apiGroup: 'authentication.k8s.io', verb: 'create' }));
    assert.equal(refusal({ resource: 'services', verb: 'delete' }), '');
    assert.equal(refusal({ isResourceRequest: false, path: '/metrics' }), '');
  });

  it('allows a node the objects that pods bound to it refer to', () => {
    const spec = {
      nodeName: 'n1',
      serviceAccountName: 'sa',
      imagePullSecrets: [{ name: 'pull' }],
      initContainers: [{ envFrom: [{ secretRef: { name: 'init' } }] }],
      containers: [{ env: [{ valueFrom: { configMapKeyRef: { name: 'env', key: 'k' } } }] }],
      volumes: [
        { name: 'p', projected: { sources: [{ secret: { name: 'projected' } }, { configMap: { name: 'map' } }] } },
        { name: 'c', persistentVolumeClaim: { claimName: 'claim' } },
        { name: 'e', ephemeral: {} },
        { name: 'r', rbd: { secretRef: { name: 'rbd' } } },
      ],
      resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 't' }],
    };
    const bound: KubeObject = {
      ...pod('p', spec),
      status: { resourceClaimStatuses: [{ name: 'gpu', resourceClaimName: 'p-gpu' }] },
    };
    const secrets = ['pull', 'init', 'projected', 'rbd'].map((name) => inNamespace('secrets', name));
    const configMaps = ['env', 'map'].map((name) => inNamespace('configmaps', name));
    const claims = ['claim', 'p-e'].map((name) => inNamespace('persistentvolumeclaims', name));
    const all = [
      ...secrets,
      ...configMaps,
      ...claims,
      inNamespace('pods', 'p'),
      inNamespace('serviceaccounts', 'sa'),
      { ...inNamespace('serviceaccounts', 'sa'), verb: 'create', subresource: 'token' },
      { ...inNamespace('resourceclaims', 'p-gpu'), apiGroup: 'resource.k8s.io' },
      { ...inNamespace('persistentvolumeclaims', 'claim'), verb: 'patch', subresource: 'status' },
    ];
    for (const asked of all) assert.equal(resultFor(asked).decision, 'NoOpinion');
    graph.putPod(pod('p', { ...spec, nodeName: undefined }));
    for (const asked of all) assert.equal(resultFor(asked).decision, 'NoOpinion');
    graph.putPod(bound);
    for (const asked of all) assert.ok(allows(asked), JSON.stringify(asked));
    for (const asked of all) assert.ok(!allows({ ...asked, user: kubelet('n2') }));
    assert.ok(allows({ ...inNamespace('secrets', 'pull'), verb: 'watch' }));
    graph.putPod(pod('other', { nodeName: 'n1', imagePullSecrets: [{ name: 'pull' }] }));
    graph.drop({ kind: 'pod', namespace: bound.metadata.namespace ?? '', name: bound.metadata.name ?? '' });
    assert.ok(allows(inNamespace('secrets', 'pull')));
    assert.equal(refusal(inNamespace('secrets', 'init')), "no relationship found between node 'n1' and this object");
  });

  it('ignores mirror pods', () => {
    const annotations = { 'kubernetes.io/config.mirror': 'x' };
    graph.putPod(pod('m', { nodeName: 'n1', imagePullSecrets: [{ name: 's' }] }, { annotations }));
    assert.ok(allows(inNamespace('pods', 'm')));
    assert.ok(!allows(inNamespace('secrets', 's')));
  });

  it('follows claims to their volumes, and those to their secrets', () => {
    const volumes = [{ name: 'c', persistentVolumeClaim: { claimName: 'claim' } }];
    graph.putPod(pod('p', { nodeName: 'n1', volumes }));
    const csi = { nodeStageSecretRef: { name: 'stage', namespace: 'csi' }, controllerPublishSecretRef: { name: 'no' } };
    const volume = {
      ...nothing,
      metadata: { name: 'pv' },
      spec: { claimRef: { namespace: 'ns', name: 'claim' }, csi },
    };
    graph.putVolume(volume);
    assert.ok(allows({ resource: 'persistentvolumes', name: 'pv' }));
    assert.ok(allows({ resource: 'secrets', namespace: 'csi', name: 'stage' }));
    assert.ok(!allows(inNamespace('secrets', 'no')));
    assert.ok(!allows({ resource: 'persistentvolumes', name: 'pv', user: kubelet('n2') }));
    graph.putVolume({ ...volume, spec: { csi } });
    assert.ok(!allows({ resource: 'persistentvolumes', name: 'pv' }));
    assert.ok(!allows({ resource: 'secrets', namespace: 'csi', name: 'stage' }));
  });

  it('allows each node its own pods, Node, Lease, attachments and slices', () => {
    const slices = { resource: 'resourceslices', apiGroup: 'resource.k8s.io' };
    graph.putOnNode('resourceslice', { ...nothing, metadata: { name: 's' }, spec: { nodeName: 'n1' } });
    graph.putOnNode('volumeattachment', { ...nothing, metadata: { name: 'va' }, spec: { nodeName: 'n1' } });
    const leases = { resource: 'leases', apiGroup: 'coordination.k8s.io', namespace: 'kube-node-lease' };
    for (const asked of [
      { resource: 'pods', verb: 'list', fieldSelector: 'spec.nodeName=n1' },
      { resource: 'nodes', verb: 'watch', name: 'n1' },
      { resource: 'nodes', verb: 'patch', subresource: 'status', name: 'n1' },
      { ...leases, verb: 'update', name: 'n1' },
      { resource: 'csinodes', apiGroup: 'storage.k8s.io', verb: 'create' },
      { ...slices, verb: 'delete', name: 's' },
      { ...slices, verb: 'deletecollection', fieldSelector: 'spec.nodeName=n1' },
      { resource: 'volumeattachments', apiGroup: 'storage.k8s.io', name: 'va' },
    ])
      assert.ok(allows(asked), JSON.stringify(asked));
    const refusals: readonly (readonly [Asked, string])[] = [
      [{ resource: 'pods', verb: 'list' }, 'can only list/watch pods with spec.nodeName field selector'],
      [
        { resource: 'pods', verb: 'list', fieldSelector: 'spec.nodeName!=n1' },
        'can only list/watch pods with spec.nodeName field selector',
      ],
      [{ resource: 'nodes', verb: 'list' }, "node 'n1' cannot read all nodes, only its own Node object"],
      [{ resource: 'nodes', name: 'n2' }, "node 'n1' cannot read 'n2', only its own Node object"],
      [{ resource: 'nodes', verb: 'delete', name: 'n1' }, ''],
      [{ ...leases, name: 'n2' }, 'can only access node lease with the same name as the requesting node'],
      [{ ...leases, namespace: 'x' }, 'can only access leases in the "kube-node-lease" system namespace'],
      [{ ...leases, verb: 'list' }, 'can only get, create, update, patch, or delete a node lease'],
      [{ ...slices, verb: 'list' }, 'can only list/watch/deletecollection resourceslices with nodeName field selector'],
      [{ resource: 'secrets', verb: 'list', namespace: 'ns' }, 'No Object name found'],
      [{ resource: 'secrets', verb: 'list' }, 'can only read namespaced object of this type'],
      [{ ...inNamespace('secrets', 'x'), verb: 'delete' }, 'can only read resources of this type'],
      [{ resource: 'persistentvolumes', verb: 'list' }, 'can only get individual resources of this type'],
    ];
    for (const [asked, reason] of refusals) assert.equal(refusal(asked), reason);
  });

  it('returns incomplete rules for a node', () => {
    assert.equal(authorizer.rulesFor(kubelet('n1')).incomplete, true);
    assert.equal(authorizer.rulesFor({ ...kubelet('n1'), groups: [] }).incomplete, false);
  });
});
