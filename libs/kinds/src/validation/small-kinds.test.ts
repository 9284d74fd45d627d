import { strict as assert } from 'node:assert';
import { lines, object } from './common/errors.fixture.ts';
import { validations } from './table.ts';

const created = (resource: string, rest: Record<string, unknown>, name = 'x') =>
  lines(validations[resource]?.create?.(object('Kind', name, rest)) ?? []);
const updated = (resource: string, rest: Record<string, unknown>, old: Record<string, unknown>) =>
  lines(validations[resource]?.update?.(object('Kind', 'x', rest), object('Kind', 'x', old)) ?? []);

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
    assert.deepEqual(lines(validations.services?.create?.(service) ?? []), [
      'metadata.annotations[service.kubernetes.io/topology-mode]: Invalid value: "Auto": must match annotations[service.kubernetes.io/topology-aware-hints] when both are specified',
      `${ranges}: Forbidden: may only be used when \`type\` is 'LoadBalancer'`,
      `${ranges}: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)`,
    ]);
  });
  it('reports the taints of a changed node', () => {
    assert.deepEqual(updated('nodes', { spec: { taints: [{ key: 'a', effect: 'X' }] } }, {}), [
      'metadata.taints[0].effect: Unsupported value: "X": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
    ]);
  });
  it('checks the status of an attachment', () => {
    const attachment = object('VolumeAttachment', 'x', {
      spec: { attacher: 'a.b', nodeName: 'n', source: { persistentVolumeName: 'v' } },
      status: { attached: false, attachError: { errorCode: -1 } },
    });
    const check = validations['volumeattachments.storage.k8s.io']?.subresources?.status;
    const line = 'status.attachError.errorCode: Invalid value: -1: must be between 0 and 2147483647, inclusive';
    assert.deepEqual(lines(check?.(attachment, attachment) ?? []), [line, line]);
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
