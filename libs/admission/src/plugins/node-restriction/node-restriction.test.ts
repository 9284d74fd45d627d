import assert from 'node:assert/strict';
import type { Authorizer } from '@apichain/authz';
import type { KubeObject } from '@apichain/meta';
import { testAttributes, testAttributesOf, testLookup, testPod } from '../../attributes.fixture.ts';
import type { AdmissionAttributes } from '../../plugin.ts';
import { certificateRequestFor } from '../certificate-request.fixture.ts';
import { NodeRestriction } from './node-restriction.ts';

const user = { name: 'system:node:n1', uid: '', groups: ['system:nodes'], extra: {} };
const node = (labels: Record<string, string> = {}, spec: Record<string, unknown> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n1', uid: 'u1', labels },
  spec,
});
const pods = [testPod({ nodeName: 'n2' }, { name: 'other', namespace: 'ns', uid: '7' })];
const mounting = testPod(
  {
    nodeName: 'n1',
    volumes: [
      { name: 't', projected: { sources: [{ serviceAccountToken: { audience: 'vault' } }] } },
      { name: 'c', persistentVolumeClaim: { claimName: 'c' } },
    ],
  },
  { name: 'own', namespace: 'ns', uid: '8' },
);
const stored = (metadata: KubeObject['metadata'], spec: object): KubeObject => ({
  apiVersion: 'v1',
  kind: 'X',
  metadata,
  spec,
});
const authorizer: Authorizer = {
  authorize: ({ resource }) => ({ decision: resource === 'registry' ? 'Allow' : 'NoOpinion', reason: '' }),
};
const lookup = testLookup({
  nodes: [node()],
  pods: [...pods, mounting],
  persistentvolumeclaims: [stored({ name: 'c', namespace: 'ns' }, { volumeName: 'pv' })],
  persistentvolumes: [stored({ name: 'pv' }, { csi: { driver: 'd.example.com' } })],
  csidrivers: [stored({ name: 'd.example.com' }, { tokenRequests: [{ audience: 'disk' }] })],
});
const plugin = new NodeRestriction(lookup, authorizer);
const refused = (attributes: AdmissionAttributes, message: RegExp) => assert.rejects(plugin.admit(attributes), message);
const nodes = { group: '', resource: 'nodes' };

describe('NodeRestriction', () => {
  it('ignores users other than nodes', async () => {
    await plugin.admit(testAttributesOf(nodes, node({ 'node-restriction.kubernetes.io/x': 'y' })));
  });

  it('refuses labels by which nodes attract pods', async () => {
    const labels = { 'node-restriction.kubernetes.io/x': 'y', 'kubernetes.io/hostname': 'n1', 'k8s.io/z': '' };
    await refused(
      testAttributesOf(nodes, node(labels), { user }),
      /nodes "n1" is forbidden: node "n1" is not allowed to set the following labels: k8s\.io\/z, node-restriction\.kubernetes\.io\/x/,
    );
    const configSource = { configMap: { name: 'c' } };
    await refused(
      testAttributesOf(nodes, node({}, { configSource }), { user }),
      /node "n1" is not allowed to create pods with a non-nil configSource/,
    );
    const update = { user, operation: 'UPDATE', oldObject: node() } as const;
    await refused(
      testAttributesOf(nodes, node({}, { configSource }), update),
      /not allowed to update configSource to a new non-nil configSource/,
    );
    await refused(
      testAttributesOf(nodes, node({}, { taints: [{ key: 'a' }] }), update),
      /not allowed to modify taints/,
    );
    await refused(testAttributesOf(nodes, node(), { ...update, name: 'n2' }), /not allowed to modify node "n2"/);
    await plugin.admit(testAttributesOf(nodes, node({ 'node.kubernetes.io/a': 'b', own: 'x' }), update));
  });

  it('lets nodes create their mirror pods', async () => {
    const owner = { apiVersion: 'v1', kind: 'Node', name: 'n1', uid: 'u1', controller: true };
    const metadata = {
      name: 'a',
      annotations: { 'kubernetes.io/config.mirror': 'x' },
      ownerReferences: [owner],
    };
    const create = (object: KubeObject) => testAttributes({ object, user });
    await plugin.admit(create(testPod({ nodeName: 'n1' }, metadata)));
    // A label is no reference.
    const nodeSelector = { secret: 'a', configMap: 'b' };
    await plugin.admit(create(testPod({ nodeName: 'n1', nodeSelector }, metadata)));
    await refused(create(testPod({ nodeName: 'n1' })), /node "n1" can only create mirror pods/);
    await refused(
      create(testPod({ nodeName: 'n2' }, metadata)),
      /can only create pods with spec\.nodeName set to itself/,
    );
    const volumes = [{ name: 'v', secret: { secretName: 's' } }];
    await refused(create(testPod({ nodeName: 'n1', volumes }, metadata)), /can not create pods that reference secrets/);
    const referring = (spec: object) => create(testPod({ nodeName: 'n1', ...spec }, metadata));
    const volume = (source: object) => referring({ volumes: [{ name: 'v', ...source }] });
    for (const [attributes, what] of [
      [referring({ serviceAccountName: 'x' }), 'serviceaccounts'],
      [volume({ configMap: { name: 'x' } }), 'configmaps'],
      [referring({ resourceClaims: [{ name: 'x' }] }), 'resourceclaims'],
      [volume({ azureFile: { secretName: 'x' } }), 'secrets'],
      [volume({ csi: { driver: 'x' } }), 'csidrivers (via CSI volumes)'],
      [volume({ glusterfs: {} }), 'endpoints (via glusterFS volumes)'],
      [volume({ ephemeral: {} }), 'persistentvolumeclaims (via ephemeral volumes)'],
      [
        volume({ projected: { sources: [{ downwardAPI: {} }, { serviceAccountToken: {} }] } }),
        'serviceaccounts (via projected volumes)',
      ],
      [volume({ projected: { sources: [{ podCertificate: {} }] } }), 'podcertificates'],
    ] as const)
      await assert.rejects(plugin.admit(attributes), {
        message: `pods "a" is forbidden: node "n1" can not create pods that reference ${what}`,
      });
    const stolen = { ...metadata, ownerReferences: [{ ...owner, uid: 'u2' }] };
    await refused(create(testPod({ nodeName: 'n1' }, stolen)), /node n1 UID mismatch: expected u2 got u1/);
  });

  it('refuses changes of pods of other nodes', async () => {
    const [object] = pods;
    if (object === undefined) throw new Error('no pod');
    const status = testAttributes({ object, oldObject: object, operation: 'UPDATE', subresource: 'status', user });
    await refused(status, /can only update pod status for pods with spec\.nodeName set to itself/);
    const eviction: KubeObject = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'other' } };
    await refused(testAttributes({ object: eviction, subresource: 'eviction', user }), /node n1 can only evict pods/);
    await assert.rejects(
      plugin.admit(testAttributes({ object: eviction, name: 'gone', subresource: 'eviction', user })),
      { code: 404, message: 'pod "gone" not found' },
    );
    const spec = { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'other', uid: '7' } };
    const request: KubeObject = { apiVersion: 'v1', kind: 'TokenRequest', metadata: {}, spec };
    await refused(
      testAttributesOf({ group: '', resource: 'serviceaccounts' }, request, { subresource: 'token', user }),
      /node requested token bound to a pod scheduled on a different node/,
    );
  });

  it('allows tokens for the audiences that their pods need or that they are authorized for', async () => {
    const asking = (...audiences: string[]) => {
      const spec = { audiences, boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'own', uid: '8' } };
      const request: KubeObject = { apiVersion: 'v1', kind: 'TokenRequest', metadata: {}, spec };
      const accounts = { group: '', resource: 'serviceaccounts' };
      return testAttributesOf(accounts, request, { name: 'sa', subresource: 'token', user });
    };
    for (const audience of ['vault', 'disk', 'registry']) await plugin.admit(asking(audience));
    await refused(asking('a', 'b'), /node may only request 0 or 1 audiences/);
    await refused(
      asking('else'),
      /serviceaccounts "sa" is forbidden: audience "else" not found in pod spec volume, system:node:n1 is not authorized to request tokens for this audience/,
    );
    await refused(asking(), /audience "" not found in pod spec volume/);
    // The feature gate ServiceAccountNodeAudienceRestriction.
    await new NodeRestriction(lookup, authorizer, { restrictsAudiences: false }).admit(asking('else'));
  });

  it('allows tokens for the drivers of volumes, and tells which object is missing', async () => {
    const asking = async (audience: string, volumes: readonly object[]) => {
      const pod = testPod({ nodeName: 'n1', volumes }, { name: 'mounts', namespace: 'ns', uid: '9' });
      const claims = {
        file: { azureFile: { shareName: 's' } },
        unbound: undefined,
        gone: { csi: { driver: 'gone.example.com' } },
      };
      const own = Object.entries(claims).filter(([, source]) => source !== undefined);
      const objects = testLookup({
        pods: [pod],
        persistentvolumeclaims: Object.keys(claims).map((name) =>
          stored({ name, namespace: 'ns' }, name === 'unbound' ? {} : { volumeName: `pv-${name}` }),
        ),
        persistentvolumes: own.map(([name, source]) => stored({ name: `pv-${name}` }, source ?? {})),
        csidrivers: [stored({ name: 'file.csi.azure.com' }, { tokenRequests: [{ audience: 'disk' }] })],
      });
      const spec = {
        audiences: [audience],
        boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'mounts', uid: '9' },
      };
      const request: KubeObject = { apiVersion: 'v1', kind: 'TokenRequest', metadata: {}, spec };
      const accounts = { group: '', resource: 'serviceaccounts' };
      return new NodeRestriction(objects, authorizer).admit(
        testAttributesOf(accounts, request, { name: 'sa', subresource: 'token', user }),
      );
    };
    const claim = (claimName: string) => ({ name: claimName, persistentVolumeClaim: { claimName } });
    // The volumes of former drivers belong to the CSI drivers that replaced them.
    await asking('disk', [claim('file')]);
    await asking('disk', [{ name: 'inline', azureFile: { shareName: 's', secretName: 't' } }]);
    await asking('disk', [claim('gone'), claim('file')]);
    const failing: [readonly object[], RegExp][] = [
      [[claim('other')], /: error validating audience "disk": persistentvolumeclaim "other" not found$/],
      [[claim('unbound')], /: error validating audience "disk": persistentvolume "" not found$/],
      [
        [{ name: 'c', csi: { driver: 'd' } }],
        /: error validating audience "disk": csidriver.storage.k8s.io "d" not found$/,
      ],
      [
        [claim('gone'), claim('other')],
        /: error validating audience "disk": \[csidriver.storage.k8s.io "gone.example.com" not found, persistentvolumeclaim "other" not found\]$/,
      ],
    ];
    for (const [volumes, message] of failing) await assert.rejects(asking('disk', volumes), message);
    await assert.rejects(asking('else', [claim('file')]), /audience "else" not found in pod spec volume/);
  });

  it('allows their resource slices and certificates', async () => {
    const slices = { group: 'resource.k8s.io', resource: 'resourceslices' };
    const slice = (nodeName: string) => stored({ name: 's' }, { nodeName });
    await plugin.admit(testAttributesOf(slices, slice('n1'), { user }));
    await refused(
      testAttributesOf(slices, slice('n2'), { user }),
      /can only create ResourceSlice with the same NodeName/,
    );
    const deletion = { user, operation: 'DELETE', oldObject: slice('n2') } as const;
    await refused(
      testAttributesOf(slices, slice('n2'), deletion),
      /can only delete ResourceSlice with the same NodeName/,
    );
    const requests = { group: 'certificates.k8s.io', resource: 'certificatesigningrequests' };
    const asking = (signerName: string, request: string) =>
      testAttributesOf(requests, stored({ name: 'r' }, { signerName, request }), { user });
    await plugin.admit(asking('example.com/x', ''));
    await refused(asking('kubernetes.io/kubelet-serving', ''), /unable to parse csr: /);
    const pem = certificateRequestFor(['CN', 'system:node:n1']);
    const own = asking('kubernetes.io/kubelet-serving', Buffer.from(pem).toString('base64'));
    await plugin.admit(own);
    await refused(
      { ...own, user: { ...user, name: 'system:node:n2' } },
      /can only create a node CSR with CN=system:node:n2/,
    );
  });

  it('allows any certificate request where a feature gate says so', async () => {
    const requests = { group: 'certificates.k8s.io', resource: 'certificatesigningrequests' };
    const asked = testAttributesOf(
      requests,
      stored({ name: 'r' }, { signerName: 'kubernetes.io/kubelet-serving', request: '' }),
      { user },
    );
    await new NodeRestriction(lookup, authorizer, { allowsAnyCertificateRequest: true }).admit(asked);
    await refused(asked, /unable to parse csr/);
  });

  it('sees no difference between an absent and an empty list', async () => {
    const update = { user, operation: 'UPDATE', oldObject: node({}, { taints: [] }) } as const;
    await plugin.admit(testAttributesOf(nodes, node(), update));
    const claims = { group: '', resource: 'persistentvolumeclaims' };
    const claim = (spec: object, status: object) => ({ ...stored({ name: 'c', namespace: 'ns' }, spec), status });
    const change = (object: KubeObject) =>
      testAttributesOf(claims, object, {
        user,
        operation: 'UPDATE',
        subresource: 'status',
        oldObject: claim({ volumeName: 'v' }, {}),
      });
    await plugin.admit(change(claim({ volumeName: 'v', accessModes: [] }, { conditions: [{ type: 'Resizing' }] })));
    await refused(
      change(claim({ volumeName: 'v' }, { phase: 'Bound' })),
      /node "n1" is not allowed to update fields other than status\.quantity and status\.conditions/,
    );
    await refused({ ...change(claim({}, {})), subresource: '' }, /may only update PVC status/);
  });

  it('allows certificates for pods that run on the node', async () => {
    const running = testPod({ nodeName: 'n1', serviceAccountName: 'sa' }, { name: 'p', namespace: 'ns', uid: 'pu' });
    const mirror = {
      ...running,
      metadata: { ...running.metadata, name: 'mirror', annotations: { 'kubernetes.io/config.mirror': 'x' } },
    };
    const elsewhere = testPod({ nodeName: 'n2' }, { name: 'elsewhere', namespace: 'ns', uid: 'pu' });
    const known = testLookup({
      nodes: [node()],
      pods: [running, mirror, elsewhere],
      serviceaccounts: [stored({ name: 'sa', namespace: 'ns', uid: 'su' }, {})],
    });
    const own = {
      nodeName: 'n1',
      nodeUID: 'u1',
      podName: 'p',
      podUID: 'pu',
      serviceAccountName: 'sa',
      serviceAccountUID: 'su',
    };
    const resource = { group: 'certificates.k8s.io', resource: 'podcertificaterequests' };
    const asking = (change: Partial<typeof own> = {}, more: Partial<AdmissionAttributes> = {}) =>
      testAttributesOf(resource, stored({ name: 'r', namespace: 'ns' }, { ...own, ...change }), { user, ...more });
    const certifying = new NodeRestriction(known, authorizer, { certifiesPods: true });
    await certifying.admit(asking());
    await refused(asking(), /"r" is forbidden: PodCertificateRequest feature gate is disabled$/);
    const forbidden = 'podcertificaterequests.certificates.k8s.io "r" is forbidden: ';
    for (const [change, code, message] of [
      [{ nodeName: 'n2' }, 403, 'PodCertificateRequest.Spec.NodeName="n2", which is not the requesting node "n1"'],
      [
        { nodeUID: 'x' },
        500,
        'PodCertificateRequest for pod "ns/p" names node UID "x", inconsistent with the running node ("u1")',
      ],
      [{ podName: 'q' }, 500, 'while retrieving pod "ns/q" named in the PodCertificateRequest: pod "q" not found'],
      [
        { podUID: 'x' },
        500,
        'PodCertificateRequest for pod "ns/p" contains pod UID ("x") which differs from running pod "pu"',
      ],
      [
        { podName: 'elsewhere' },
        403,
        'pod "ns/elsewhere" is not running on node "n1" named in the PodCertificateRequest',
      ],
      [{ podName: 'mirror' }, 403, 'pod "ns/mirror" is a mirror pod'],
      [
        { serviceAccountName: 'x' },
        403,
        'PodCertificateRequest for pod "ns/p" contains serviceAccountName ("x") that differs from running pod ("sa")',
      ],
      [
        { serviceAccountUID: 'x' },
        500,
        'PodCertificateRequest for pod "ns/p" names service account UID "x", which differs from the running service account ("su")',
      ],
    ] as const)
      await assert.rejects(certifying.admit(asking(change)), {
        code,
        message: code === 403 ? `${forbidden}${message}` : message,
      });
    await assert.rejects(certifying.admit(asking({}, { operation: 'DELETE' })), /unexpected operation DELETE$/);
    await assert.rejects(certifying.admit(asking({}, { subresource: 'status' })), /unexpected subresource status$/);
  });

  it('allows their lease', async () => {
    const lease: KubeObject = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'n1' } };
    const leases = { group: 'coordination.k8s.io', resource: 'leases' };
    await plugin.admit(testAttributesOf(leases, lease, { namespace: 'kube-node-lease', user }));
    await refused(testAttributesOf(leases, lease, { user }), /can only access leases in the "kube-node-lease" system/);
  });
});
