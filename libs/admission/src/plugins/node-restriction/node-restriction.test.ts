import assert from 'node:assert/strict';
import type { KubeObject } from '@apichain/meta';
import { testAttributes, testAttributesOf, testLookup, testPod } from '../../attributes.fixture.ts';
import type { AdmissionAttributes } from '../../plugin.ts';
import { NodeRestriction } from './node-restriction.ts';

const user = { name: 'system:node:n1', uid: '', groups: ['system:nodes'], extra: {} };
const node = (labels: Record<string, string> = {}, spec: Record<string, unknown> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n1', uid: 'u1', labels },
  spec,
});
const pods = [testPod({ nodeName: 'n2' }, { name: 'other', namespace: 'ns', uid: '7' })];
const plugin = new NodeRestriction(testLookup({ nodes: [node()], pods }));
const refused = (attributes: AdmissionAttributes, message: RegExp) => assert.rejects(plugin.admit(attributes), message);
const nodes = { group: '', resource: 'nodes' };

describe('NodeRestriction', () => {
  it('leaves everybody but nodes alone', async () => {
    await plugin.admit(testAttributesOf(nodes, node({ 'node-restriction.kubernetes.io/x': 'y' })));
  });

  it('keeps nodes from steering pods to themselves', async () => {
    const labels = { 'node-restriction.kubernetes.io/x': 'y', 'kubernetes.io/hostname': 'n1', 'k8s.io/z': '' };
    await refused(
      testAttributesOf(nodes, node(labels), { user }),
      /nodes "n1" is forbidden: node "n1" is not allowed to set the following labels: k8s\.io\/z, node-restriction\.kubernetes\.io\/x/,
    );
    const update = { user, operation: 'UPDATE', oldObject: node() } as const;
    await refused(
      testAttributesOf(nodes, node({}, { taints: [{ key: 'a' }] }), update),
      /not allowed to modify taints/,
    );
    await refused(testAttributesOf(nodes, node(), { ...update, name: 'n2' }), /not allowed to modify node "n2"/);
    await plugin.admit(testAttributesOf(nodes, node({ 'node.kubernetes.io/a': 'b', own: 'x' }), update));
  });

  it('lets them make mirror pods of their own', async () => {
    const owner = { apiVersion: 'v1', kind: 'Node', name: 'n1', uid: 'u1', controller: true };
    const metadata = {
      name: 'a',
      annotations: { 'kubernetes.io/config.mirror': 'x' },
      ownerReferences: [owner],
    };
    const create = (object: KubeObject) => testAttributes({ object, user });
    await plugin.admit(create(testPod({ nodeName: 'n1' }, metadata)));
    await refused(create(testPod({ nodeName: 'n1' })), /node "n1" can only create mirror pods/);
    await refused(
      create(testPod({ nodeName: 'n2' }, metadata)),
      /can only create pods with spec\.nodeName set to itself/,
    );
    const volumes = [{ name: 'v', secret: { secretName: 's' } }];
    await refused(create(testPod({ nodeName: 'n1', volumes }, metadata)), /can not create pods that reference secrets/);
    const stolen = { ...metadata, ownerReferences: [{ ...owner, uid: 'u2' }] };
    await refused(create(testPod({ nodeName: 'n1' }, stolen)), /node n1 UID mismatch: expected u1 got u2/);
  });

  it('keeps their hands off the pods of others', async () => {
    const [object] = pods;
    if (object === undefined) throw new Error('no pod');
    const status = testAttributes({ object, oldObject: object, operation: 'UPDATE', subresource: 'status', user });
    await refused(status, /can only update pod status for pods with spec\.nodeName set to itself/);
    const eviction: KubeObject = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'other' } };
    await refused(testAttributes({ object: eviction, subresource: 'eviction', user }), /node n1 can only evict pods/);
    const spec = { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'other', uid: '7' } };
    const request: KubeObject = { apiVersion: 'v1', kind: 'TokenRequest', metadata: {}, spec };
    await refused(
      testAttributesOf({ group: '', resource: 'serviceaccounts' }, request, { subresource: 'token', user }),
      /node requested token bound to a pod scheduled on a different node/,
    );
  });

  it('gives them their own lease', async () => {
    const lease: KubeObject = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'n1' } };
    const leases = { group: 'coordination.k8s.io', resource: 'leases' };
    await plugin.admit(testAttributesOf(leases, lease, { namespace: 'kube-node-lease', user }));
    await refused(testAttributesOf(leases, lease, { user }), /can only access leases in the "kube-node-lease" system/);
  });
});
