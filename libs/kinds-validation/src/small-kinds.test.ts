import { strict as assert } from 'node:assert';
import type { KubeObject } from '@apichain/meta';
import { decodeObject } from '@apichain/scheme';
import { builtinTypes } from '@apichain/kinds';
import { lines, object } from './common/errors.fixture.ts';
import { defaultCapabilities } from './pod/capabilities.ts';
import { validationFor } from './common/validation-for.fixture.ts';

const created = (resource: string, rest: Record<string, unknown>, name = 'x') =>
  lines(validationFor(resource).create?.(object('Kind', name, rest), undefined, defaultCapabilities) ?? []);
const updated = (resource: string, rest: Record<string, unknown>, old: Record<string, unknown>) => {
  const objects = [object('Kind', 'x', rest), object('Kind', 'x', old)] as const;
  return lines(validationFor(resource).update?.(...objects, defaultCapabilities) ?? []);
};

const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

describe('kinds with a handful of rules', () => {
  it('wants an object as the data of a revision, and keeps it', () => {
    const revisions = 'controllerrevisions.apps';
    assert.deepEqual(created(revisions, { revision: -1 }), [
      'revision: Invalid value: -1: must be greater than or equal to 0',
      'data: Required value: data is mandatory',
    ]);
    assert.deepEqual(created(revisions, { revision: 1, data: 'x' }), [
      'data: Required value: data must be a valid JSON object',
    ]);
    assert.deepEqual(updated(revisions, { revision: -2, data: { a: 2 } }, { revision: 1, data: { a: 1 } }), [
      'revision: Invalid value: -2: must be greater than or equal to 0',
      'data: Invalid value: {"a":2}: field is immutable',
    ]);
    assert.deepEqual(updated(revisions, { revision: 1, data: { a: 1, b: 2 } }, { revision: 1, data: { b: 2, a: 1 } }), [
      'data: Invalid value: {"a":1,"b":2}: field is immutable',
    ]);
  });
  it('tells an empty map of an immutable object from an absent one', () => {
    const type = builtinTypes.type('core.v1.ConfigMap');
    const map = (more: object) =>
      decodeObject({ metadata: { name: 'm' }, data: { a: 'b' }, immutable: true, ...more }, type).object as KubeObject;
    const update = validationFor('configmaps').update;
    assert.deepEqual(lines(update?.(map({}), map({}), defaultCapabilities) ?? []), []);
    assert.deepEqual(lines(update?.(map({ binaryData: {} }), map({}), defaultCapabilities) ?? []), [
      'binaryData: Forbidden: field is immutable when `immutable` is set',
    ]);
  });
  it('checks priority classes', () => {
    const classes = 'priorityclasses.scheduling.k8s.io';
    assert.deepEqual(created(classes, { value: 1, preemptionPolicy: 'X' }), [
      'preemptionPolicy: Unsupported value: "X": supported values: "PreemptLowerPriority", "Never"',
    ]);
    assert.deepEqual(created(classes, { value: 2000001000, globalDefault: true }, 'system-node-critical'), [
      "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. " +
        'error: globalDefault of system-node-critical PriorityClass must be false',
    ]);
  });
  it('lets a range of Services gain a second family only', () => {
    const change = (cidrs: string[], before: string[]) =>
      updated('servicecidrs.networking.k8s.io', { spec: { cidrs } }, { spec: { cidrs: before } });
    assert.deepEqual(change(['10.0.0.0/28'], ['10.1.0.0/28']), [
      'spec.cidrs[0]: Invalid value: "10.0.0.0/28": field is immutable',
    ]);
    assert.deepEqual(change(['10.0.0.0/28', '2001:db8::/64'], ['10.0.0.0/28']), []);
    assert.deepEqual(change(['10.0.0.0/28'], ['10.0.0.0/28', '2001:db8::/64']), [
      'spec.cidrs: Invalid value: ["10.0.0.0/28"]: field is immutable',
    ]);
  });
  it('counts an empty topology as one that was there before', () => {
    const fields = (allowedTopologies: unknown[]) =>
      created('storageclasses.storage.k8s.io', { provisioner: 'a', volumeBindingMode: 'Immediate', allowedTopologies });
    const duplicate = (i: number) => `allowedTopologies[${i}].matchLabelExpressions: Duplicate value: ""`;
    assert.deepEqual(fields([{}]), [duplicate(0)]);
    assert.deepEqual(fields([{}, {}]), [duplicate(0), duplicate(0), duplicate(1), duplicate(1), duplicate(1)]);
    assert.deepEqual(fields([{ matchLabelExpressions: [{ key: 'a', values: ['b'] }] }]), []);
  });
  it('keeps the topology of a storage capacity, an empty one too', () => {
    assert.deepEqual(
      updated(
        'csistoragecapacities.storage.k8s.io',
        { storageClassName: 'a', nodeTopology: {} },
        { storageClassName: 'a' },
      ),
      ['nodeTopology: Invalid value: {}: field is immutable'],
    );
  });
  it('checks the annotations of a Service', () => {
    const annotations = {
      'service.kubernetes.io/topology-mode': 'Auto',
      'service.kubernetes.io/topology-aware-hints': 'Disabled',
      'service.beta.kubernetes.io/load-balancer-source-ranges': '10.0.0.0/8, x',
    };
    const spec = {
      type: 'ClusterIP',
      clusterIP: 'None',
      clusterIPs: ['None'],
      sessionAffinity: 'None',
      internalTrafficPolicy: 'Cluster',
    };
    const service = object('Service', 'x', { spec });
    service.metadata.annotations = annotations;
    const ranges = 'metadata.annotations[service.beta.kubernetes.io/load-balancer-source-ranges]';
    assert.deepEqual(lines(validationFor('services').create?.(service, undefined, defaultCapabilities) ?? []), [
      'metadata.annotations[service.kubernetes.io/topology-mode]: Invalid value: "Auto": must match annotations[service.kubernetes.io/topology-aware-hints] when both are specified',
      `${ranges}: Forbidden: may only be used when \`type\` is 'LoadBalancer'`,
      `${ranges}: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)`,
    ]);
  });
  it('reports the taints of a changed node as those of a new one, and as changed ones', () => {
    const taint =
      'metadata.taints[0].effect: Unsupported value: "X": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"';
    assert.deepEqual(updated('nodes', { spec: { taints: [{ key: 'a', effect: 'X' }] } }, {}), [taint, taint]);
  });
  it('checks the status of an attachment', () => {
    const attachment = object('VolumeAttachment', 'x', {
      spec: { attacher: 'a.b', nodeName: 'n', source: { persistentVolumeName: 'v' } },
      status: { attached: false, attachError: { errorCode: -1 } },
    });
    const check = validationFor('volumeattachments.storage.k8s.io').subresources?.status;
    const line = 'status.attachError.errorCode: Invalid value: -1: must be between 0 and 2147483647, inclusive';
    assert.deepEqual(lines(check?.(attachment, attachment, defaultCapabilities) ?? []), [line]);
  });
  it('checks one source of an attachment, and the name of a volume last', () => {
    const errors = (source: Record<string, unknown>) =>
      created('volumeattachments.storage.k8s.io', { spec: { attacher: 'a.b', nodeName: 'n', source } });
    assert.deepEqual(errors({ persistentVolumeName: '' }), [
      'spec.source.persistentVolumeName: Required value: must specify non empty persistentVolumeName',
      `spec.source.persistentVolumeName: Invalid value: "": ${subdomain}`,
    ]);
    assert.deepEqual(errors({ persistentVolumeName: 'a', inlineVolumeSpec: { capacity: { storage: '1' } } }), [
      'spec.source: Forbidden: must specify exactly one of inlineVolumeSpec and persistentVolumeName',
    ]);
  });
  it('checks a capacity once, and takes any size of one volume', () => {
    const errors = created('csistoragecapacities.storage.k8s.io', {
      storageClassName: 'a',
      maximumVolumeSize: '-1',
      capacity: '-1',
    });
    assert.deepEqual(errors, ['capacity: Invalid value: "-1": must be greater than or equal to 0']);
  });
  it('shows each changed driver of a node on its own, without what may change', () => {
    const driver = { name: 'd', nodeID: 'n', topologyKeys: ['a'], allocatable: { count: 1 } };
    const drivers = [{ ...driver, nodeID: 'm' }];
    assert.deepEqual(updated('csinodes.storage.k8s.io', { spec: { drivers } }, { spec: { drivers: [driver] } }), [
      'spec.drivers: Invalid value: {"Name":"d","NodeID":"m","TopologyKeys":["a"],"Allocatable":null}: field is immutable',
    ]);
  });
  it('checks changed classes in the order of their kinds', () => {
    const storage = { provisioner: 'p', volumeBindingMode: 'Immediate', reclaimPolicy: 'Delete' };
    assert.deepEqual(updated('storageclasses.storage.k8s.io', { ...storage, reclaimPolicy: 'X' }, storage), [
      'reclaimPolicy: Unsupported value: "X": supported values: "Delete", "Retain"',
      'reclaimPolicy: Invalid value: "X": field is immutable',
    ]);
    const attributes = { driverName: 'd', parameters: { a: 'b' } };
    assert.deepEqual(updated('volumeattributesclasses.storage.k8s.io', { driverName: 'd' }, attributes), [
      'parameters: Forbidden: updates to parameters are forbidden.',
      'parameters: Required value: must contain at least one key/value pair',
    ]);
    assert.deepEqual(updated('ingressclasses.networking.k8s.io', { spec: {} }, { spec: { controller: 'a.b/c' } }), [
      'spec.controller: Invalid value: "": field is immutable',
      'spec.controller: Required value',
    ]);
    const cidrs = { spec: { cidrs: ['10.0.0.0/16'] } };
    assert.deepEqual(updated('servicecidrs.networking.k8s.io', {}, cidrs), [
      'spec.cidrs: Invalid value: null: field is immutable',
    ]);
  });
  it('takes a driver with a name of any length', () => {
    const spec = {
      attachRequired: true,
      podInfoOnMount: true,
      storageCapacity: true,
      fsGroupPolicy: 'File',
      seLinuxMount: true,
    };
    assert.deepEqual(created('csidrivers.storage.k8s.io', { spec }, 'x'.repeat(64)), []);
    const tokenRequests = [{ audience: 'a' }, { audience: 'a', expirationSeconds: 5 }];
    assert.deepEqual(created('csidrivers.storage.k8s.io', { spec: { ...spec, tokenRequests } }), [
      'spec.tokenRequests[1].audience: Duplicate value: "a"',
    ]);
  });
  it('looks for exceptions within a range, however it is written', () => {
    const from = [{ ipBlock: { cidr: '1.2.3.4/24', except: ['10.1.0.0/16'] } }];
    const ports = [{ port: 65536, endPort: 3, protocol: 'TCP' }];
    assert.deepEqual(
      created('networkpolicies.networking.k8s.io', { spec: { podSelector: {}, ingress: [{ from, ports }] } }),
      [
        'spec.ingress[0].ports[0].port: Invalid value: 65536: must be between 1 and 65535, inclusive',
        'spec.ingress[0].ports[0].endPort: Invalid value: 65536: must be greater than or equal to `port`',
        'spec.ingress[0].from[0].ipBlock.cidr: Invalid value: "1.2.3.4/24": must not have bits set beyond the prefix length',
        'spec.ingress[0].from[0].ipBlock.except[0]: Invalid value: "10.1.0.0/16": must be a strict subset of `cidr`',
      ],
    );
  });
  it('keeps the mandatory flow schemas and priority levels', () => {
    const level = (name: string, spec: Record<string, unknown>) =>
      created('prioritylevelconfigurations.flowcontrol.apiserver.k8s.io', { spec }, name);
    assert.deepEqual(level('exempt', { type: 'Exempt', exempt: { nominalConcurrencyShares: 7 } }), []);
    const limited = { nominalConcurrencyShares: 6, limitResponse: { type: 'Reject' }, lendablePercent: 0 };
    const [error = ''] = level('catch-all', { type: 'Limited', limited });
    assert.match(
      error,
      /^spec: Invalid value: \{"Type":"Limited".*\}: spec of 'catch-all' must equal the fixed value$/,
    );
    const schema = { priorityLevelConfiguration: { name: 'exempt' }, matchingPrecedence: 1 };
    assert.match(
      created('flowschemas.flowcontrol.apiserver.k8s.io', { spec: schema }, 'exempt')[0] ?? '',
      /spec of 'exempt' must equal the fixed value$/,
    );
  });
  it('takes the ranges of a ServiceCIDR one by one before both together', () => {
    assert.deepEqual(created('servicecidrs.networking.k8s.io', { spec: { cidrs: ['10.1.0.0/16', '10.2.0.1/16'] } }), [
      'spec.cidrs[1]: Invalid value: "10.2.0.1/16": must not have bits set beyond the prefix length',
      'spec.cidrs: Invalid value: ["10.1.0.0/16","10.2.0.1/16"]: may specify no more than one IP for each IP family, i.e ' +
        '192.168.0.0/24 and 2001:db8::/64',
    ]);
  });
});
