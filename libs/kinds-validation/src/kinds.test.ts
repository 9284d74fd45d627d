import { strict as assert } from 'node:assert';
import { lines, object } from './common/errors.fixture.ts';
import { validationFor } from './common/validation-for.fixture.ts';
import { defaultCapabilities } from './pod/capabilities.ts';

const created = (resource: string, rest: Record<string, unknown>, name = 'x') =>
  lines(validationFor(resource).create?.(object('Kind', name, rest), undefined, defaultCapabilities) ?? []);
const updated = (resource: string, rest: Record<string, unknown>, old: Record<string, unknown>) => {
  const objects = [object('Kind', 'x', rest), object('Kind', 'x', old)] as const;
  return lines(validationFor(resource).update?.(...objects, defaultCapabilities) ?? []);
};

const volume = { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, volumeMode: 'Filesystem' };
const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };

describe('storage kinds', () => {
  it('checks volumes', () => {
    assert.deepEqual(created('persistentvolumes', { spec: { ...volume, nfs: { server: 's', path: '/p' } } }), []);
    assert.deepEqual(created('persistentvolumes', { spec: {} }), [
      'spec.accessModes: Required value',
      'spec.capacity: Required value',
      'spec.capacity: Unsupported value: null: supported values: "storage"',
      'spec: Required value: must specify a volume type',
    ]);
    // More than an int64 holds wraps around.
    const capacity = { storage: '9223372036854775808' };
    assert.deepEqual(
      created('persistentvolumes', { spec: { ...volume, capacity, nfs: { server: 's', path: '/p' } } }),
      ['spec.capacity[storage]: Invalid value: -9223372036854775808: must be a valid resource quantity'],
    );
    const local = { spec: { ...volume, local: { path: '/p' } } };
    assert.deepEqual(created('persistentvolumes', local), [
      'spec.nodeAffinity: Required value: Local volume requires node affinity',
    ]);
  });
  it('keeps the source of a volume', () => {
    const nfs = (path: string) => ({ spec: { ...volume, nfs: { server: 's', path } } });
    const [error = ''] = updated('persistentvolumes', nfs('/b'), nfs('/a'));
    assert.match(
      error,
      /^spec\.persistentvolumesource: Forbidden: spec\.persistentvolumesource is immutable after creation\n@@/,
    );
    assert.match(error, /\n- {2}"Path": "\/a",\n\+ {2}"Path": "\/b",\n/);
  });
  it('lets a bound claim grow', () => {
    const sized = (storage: string, phase: string) => ({
      spec: { ...claim, resources: { requests: { storage } } },
      status: { phase, capacity: { storage: '2Gi' } },
    });
    assert.deepEqual(updated('persistentvolumeclaims', sized('3Gi', 'Bound'), sized('2Gi', 'Bound')), []);
    assert.deepEqual(updated('persistentvolumeclaims', sized('1Gi', 'Bound'), sized('2Gi', 'Bound')), [
      'spec.resources.requests.storage: Forbidden: field can not be less than status.capacity',
    ]);
    assert.match(
      updated('persistentvolumeclaims', sized('3Gi', 'Pending'), sized('2Gi', 'Pending'))[0] ?? '',
      /^spec: Forbidden: spec is immutable after creation except resources\.requests/,
    );
  });
  it('checks classes and drivers', () => {
    assert.deepEqual(created('storageclasses.storage.k8s.io', { volumeBindingMode: 'X' }), [
      'provisioner: Required value',
      'volumeBindingMode: Unsupported value: "X": supported values: "Immediate", "WaitForFirstConsumer"',
    ]);
    assert.deepEqual(
      created('csinodes.storage.k8s.io', {
        spec: {
          drivers: [
            { name: 'd', nodeID: '' },
            { name: 'd', nodeID: 'n' },
          ],
        },
      }),
      ['spec.drivers[0].nodeID: Required value', 'spec.drivers[1].name: Duplicate value: "d"'],
    );
  });
});

describe('cluster kinds', () => {
  it('checks nodes', () => {
    const taint = { key: 'k', effect: 'NoSchedule' };
    assert.deepEqual(created('nodes', { spec: { taints: [taint, taint], podCIDRs: ['10.9.0.0/24', '10.9.1.0/24'] } }), [
      'metadata.taints[1]: Duplicate value: {"Key":"k","Value":"","Effect":"NoSchedule","TimeAdded":null}: taints must be unique by key and effect pair',
      'spec.podCIDRs: Invalid value: ["10.9.0.0/24","10.9.1.0/24"]: may specify no more than one CIDR for each IP family',
    ]);
    assert.deepEqual(updated('nodes', { spec: { providerID: 'b' } }, { spec: { providerID: 'a' } }), [
      'spec.providerID: Forbidden: node updates may not change providerID except from "" to valid',
    ]);
  });
  it('checks quotas and limits', () => {
    const spec = { hard: { cpu: '1' }, scopes: ['BestEffort'] };
    assert.deepEqual(created('resourcequotas', { spec }), [
      'spec.scopes: Invalid value: ["BestEffort"]: unsupported scope applied to resource',
    ]);
    const limits = [{ type: 'Container', min: { cpu: '2' }, max: { cpu: '1' } }];
    assert.deepEqual(created('limitranges', { spec: { limits } }), [
      'spec.limits[0].min[cpu]: Invalid value: "2": min value 2 is greater than max value 1',
    ]);
    const max = { cpu: '1' };
    // What has no thousandths in 64 bits is compared as whole ones: 50m are 1.
    const ratio = { type: 'Container', max, min: { cpu: '50m' }, maxLimitRequestRatio: { cpu: '1E' } };
    assert.deepEqual(created('limitranges', { spec: { limits: [ratio] } }), [
      'spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "1E": ratio 1E is greater than max/min = 1.000000',
    ]);
    const ofPod = { type: 'Pod', max, defaultRequest: { cpu: '2' } };
    assert.deepEqual(created('limitranges', { spec: { limits: [ofPod] } }), [
      "spec.limits[0].defaultRequest: Forbidden: may not be specified when `type` is 'Pod'",
    ]);
  });
  it('checks events by the API they come through', () => {
    const event = { involvedObject: { namespace: 'default' }, type: 'Normal' };
    assert.deepEqual(created('events', event), []);
    assert.deepEqual(created('events.events.k8s.io', event), ['eventTime: Required value']);
  });
  it('checks runtime classes', () => {
    assert.deepEqual(created('runtimeclasses.node.k8s.io', { handler: '', overhead: { podFixed: { cpu: '-1' } } }), [
      'handler: Required value',
      'overhead.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0',
    ]);
  });
});

describe('networking kinds', () => {
  it('checks ingresses', () => {
    const path = { path: 'a', pathType: 'Prefix', backend: { service: { name: 's', port: { number: 80 } } } };
    assert.deepEqual(
      created('ingresses.networking.k8s.io', { spec: { rules: [{ host: '1.2.3.4', http: { paths: [path] } }] } }),
      [
        'spec.rules[0].host: Invalid value: "1.2.3.4": must be a DNS name, not an IP address',
        'spec.rules[0].http.paths[0].path: Invalid value: "a": must be an absolute path',
      ],
    );
  });
  it('checks network policies', () => {
    const peer = { ipBlock: { cidr: '10.0.0.0/8', except: ['11.0.0.0/16'] }, podSelector: {} };
    assert.deepEqual(
      created('networkpolicies.networking.k8s.io', { spec: { podSelector: {}, ingress: [{ from: [peer] }] } }),
      [
        'spec.ingress[0].from[0].ipBlock.except[0]: Invalid value: "11.0.0.0/16": must be a strict subset of `cidr`',
        'spec.ingress[0].from[0]: Forbidden: may not specify both ipBlock and another peer',
      ],
    );
  });
  it('checks endpoint slices', () => {
    assert.deepEqual(
      created('endpointslices.discovery.k8s.io', {
        addressType: 'IPv4',
        endpoints: [{ addresses: ['127.0.0.1'] }, {}],
      }),
      [
        'endpoints[0].addresses[0]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
        'endpoints[1].addresses: Required value: must contain at least 1 address',
      ],
    );
  });
  it('checks ingress classes', () => {
    const parameters = { kind: 'K', name: 'n', scope: 'Namespace' };
    assert.deepEqual(created('ingressclasses.networking.k8s.io', { spec: { controller: 'a.io/b', parameters } }), [
      "spec.parameters.namespace: Required value: `parameters.scope` is set to 'Namespace'",
    ]);
  });
});

describe('policy kinds', () => {
  it('checks roles and bindings', () => {
    assert.deepEqual(
      created('clusterroles.rbac.authorization.k8s.io', { rules: [{ verbs: [], nonResourceURLs: ['/x'] }] }),
      ['rules[0].verbs: Required value: verbs must contain at least one value'],
    );
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'r' };
    assert.deepEqual(
      updated('clusterrolebindings.rbac.authorization.k8s.io', { roleRef: { ...roleRef, name: 's' } }, { roleRef }),
      [
        'roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"ClusterRole","Name":"s"}: cannot change roleRef',
      ],
    );
  });
  it('checks webhooks', () => {
    const webhook = {
      name: 'w.example.com',
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      clientConfig: { url: 'http://a' },
      rules: [{ operations: ['*', 'CREATE'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*', 'a'] }],
    };
    assert.deepEqual(created('validatingwebhookconfigurations.admissionregistration.k8s.io', { webhooks: [webhook] }), [
      `webhooks[0].rules[0].operations: Invalid value: ["*","CREATE"]: if '*' is present, must not specify other operations`,
      `webhooks[0].rules[0].resources: Invalid value: ["*","a"]: if '*' is present, must not specify other resources without subresources`,
      `webhooks[0].clientConfig.url: Invalid value: "http": 'https' is the only allowed URL scheme; desired format: https://host[/path]`,
    ]);
  });
  it('compiles the match conditions of webhooks', () => {
    const conditions = ['object.', '1', 'request.operation == "CREATE"', 'object.spec.a'];
    const webhook = {
      name: 'w.example.com',
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      clientConfig: { url: 'https://a' },
      matchConditions: conditions.map((expression, i) => ({ name: `c${i}`, expression })),
    };
    const path = 'webhooks[0].matchConditions';
    assert.deepEqual(created('mutatingwebhookconfigurations.admissionregistration.k8s.io', { webhooks: [webhook] }), [
      `${path}[0].expression: Invalid value: "object.": compilation failed: ERROR: <input>:1:8: Syntax error: no viable alternative at input '.'\n | object.\n | .......^`,
      `${path}[1].expression: Invalid value: "1": must evaluate to bool but got int`,
      `${path}[3].expression: Invalid value: "object.spec.a": must evaluate to bool but got dyn`,
    ]);
  });
  it('checks policies and their bindings', () => {
    const spec = { policyName: 'p', validationActions: ['Deny', 'Warn'] };
    assert.equal(created('validatingadmissionpolicybindings.admissionregistration.k8s.io', { spec }).length, 1);
    assert.deepEqual(
      created('validatingadmissionpolicies.admissionregistration.k8s.io', { spec: { failurePolicy: 'Fail' } }),
      [
        'spec.matchConstraints: Required value',
        'spec.validations: Required value: validations or auditAnnotations must contain at least one item',
        'spec.auditAnnotations: Required value: validations or auditAnnotations must contain at least one item',
      ],
    );
  });
  it('checks flow control', () => {
    const queuing = { queues: 8, handSize: 9, queueLengthLimit: 1 };
    const limited = { limitResponse: { type: 'Queue', queuing } };
    assert.deepEqual(
      created('prioritylevelconfigurations.flowcontrol.apiserver.k8s.io', { spec: { type: 'Limited', limited } }),
      ['spec.limited.limitResponse.queuing.handSize: Invalid value: 9: should not be greater than queues (8)'],
    );
    assert.deepEqual(
      created('flowschemas.flowcontrol.apiserver.k8s.io', {
        spec: { matchingPrecedence: 1, priorityLevelConfiguration: { name: 'p' } },
      }),
      ["spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1"],
    );
  });
  it('tells of subjects of another kind and of what may be lent in the order of the checks', () => {
    const subject = { kind: 'User', user: { name: 'u' }, group: { name: 'g' }, serviceAccount: { name: 's' } };
    const rules = [{ subjects: [subject], nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/a'] }] }];
    const spec = { matchingPrecedence: 2, priorityLevelConfiguration: { name: 'p' }, rules };
    const path = 'spec.rules[0].subjects[0]';
    assert.deepEqual(created('flowschemas.flowcontrol.apiserver.k8s.io', { spec }), [
      `${path}.serviceAccount: Forbidden: serviceAccount is forbidden when subject kind is not 'ServiceAccount'`,
      `${path}.group: Forbidden: group is forbidden when subject kind is not 'Group'`,
    ]);
    const group = { ...subject, kind: 'Group', group: undefined, user: undefined };
    const wrong = { ...spec, rules: [{ ...rules[0], subjects: [group] }] };
    assert.deepEqual(created('flowschemas.flowcontrol.apiserver.k8s.io', { spec: wrong }), [
      `${path}.group: Required value: group is required when subject kind is 'Group'`,
      `${path}.serviceAccount: Forbidden: serviceAccount is forbidden when subject kind is not 'ServiceAccount'`,
    ]);
    const limited = { lendablePercent: 101, limitResponse: { type: 'X' } };
    assert.deepEqual(
      created('prioritylevelconfigurations.flowcontrol.apiserver.k8s.io', { spec: { type: 'Limited', limited } }),
      [
        'spec.limited.limitResponse.type: Unsupported value: "X": supported values: "Queue", "Reject"',
        'spec.limited.lendablePercent: Invalid value: 101: must be between 0 and 100, inclusive',
      ],
    );
  });
  it('tells of a selector beside a name after what is wrong with the selector', () => {
    const paramRef = { name: 'n', selector: { matchLabels: { 'a b': '' } }, parameterNotFoundAction: 'Deny' };
    const binding = { spec: { policyName: 'p', paramRef, validationActions: ['Deny'] } };
    const resource = 'validatingadmissionpolicybindings.admissionregistration.k8s.io';
    assert.deepEqual(
      created(resource, binding).map((line) => line.replace(/:.*$/, '')),
      ['spec.paramRef.name', 'spec.paramRef.selector.matchLabels', 'spec.paramRef.selector'],
    );
  });
  it('compares topologies by the last expression of each key', () => {
    const once = { key: 'k', values: ['w', 'v'] };
    const allowedTopologies = [
      { matchLabelExpressions: [once] },
      {
        matchLabelExpressions: [
          { key: 'k', values: ['x'] },
          { ...once, values: ['v', 'w'] },
        ],
      },
    ];
    assert.deepEqual(
      created('storageclasses.storage.k8s.io', { provisioner: 'p', volumeBindingMode: 'Immediate', allowedTopologies }),
      [
        'allowedTopologies[1].matchLabelExpressions[1].key: Duplicate value: "k"',
        'allowedTopologies[1].matchLabelExpressions: Duplicate value: ""',
      ],
    );
  });
  it('shows an update strategy of an unknown type as the internal type has it', () => {
    const { updateStrategy } = { updateStrategy: { type: 'X', rollingUpdate: {} } };
    assert.equal(
      created('statefulsets.apps', { spec: { updateStrategy } }).find((line) => line.startsWith('spec.updateStrategy')),
      `spec.updateStrategy: Invalid value: {"Type":"X","RollingUpdate":{"Partition":0,"MaxUnavailable":null}}: must be 'RollingUpdate' or 'OnDelete'`,
    );
  });
  it('checks signing requests and leases', () => {
    const spec = { request: 'eHg=', usages: ['any', 'any'], signerName: 'example.com/s' };
    assert.deepEqual(created('certificatesigningrequests.certificates.k8s.io', { spec }), [
      'spec.request: Invalid value: "eHg=": PEM block type must be CERTIFICATE REQUEST',
      'spec.usages[1]: Duplicate value: "any"',
    ]);
    assert.deepEqual(created('leases.coordination.k8s.io', { spec: { leaseDurationSeconds: 0 } }), [
      'spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0',
    ]);
  });
});

describe('device kinds', () => {
  const request = { name: 'r', exactly: { deviceClassName: 'c', allocationMode: 'ExactCount', count: 1 } };

  it('checks claims', () => {
    assert.deepEqual(created('resourceclaims.resource.k8s.io', { spec: { devices: { requests: [request] } } }), []);
    const devices = { requests: [request, { name: 'r' }], config: [{ requests: ['s'] }] };
    assert.deepEqual(created('resourceclaims.resource.k8s.io', { spec: { devices } }), [
      'spec.devices.requests[1]: Required value: exactly one of `exactly` or `firstAvailable` is required',
      'spec.devices.requests[1]: Duplicate value: "r"',
      'spec.devices.config[0].requests[0]: Invalid value: "s": must be the name of a request in the claim or the name of a request and a subrequest separated by \'/\'',
      'spec.devices.config[0].opaque: Required value',
    ]);
  });
  it('compiles the selectors of devices', () => {
    const expressions = ['device.driver == "d.io"', 'device.attributes["d.io"].healthy', 'device.driver', 'device.'];
    const selectors = expressions.map((expression) => ({ cel: { expression } }));
    assert.deepEqual(created('deviceclasses.resource.k8s.io', { spec: { selectors } }), [
      'spec.selectors[2].cel.expression: Invalid value: "device.driver": must evaluate to bool or the unknown type, not string',
      `spec.selectors[3].cel.expression: Invalid value: "device.": compilation failed: ERROR: <input>:1:8: Syntax error: no viable alternative at input '.'\n | device.\n | .......^`,
    ]);
    const units = ['device.capacity["d.io"].memory.compareTo(quantity("1Gi")) >= 0', 'device.allowMultipleAllocations'];
    const exactly = { ...request.exactly, selectors: units.map((expression) => ({ cel: { expression } })) };
    const devices = { requests: [{ name: 'r', exactly }] };
    assert.deepEqual(created('resourceclaims.resource.k8s.io', { spec: { devices } }), []);
  });
  it('checks slices', () => {
    const spec = {
      driver: 'd.io',
      pool: { name: 'p', resourceSliceCount: 1 },
      devices: [{ name: 'a', attributes: { x: {} } }],
    };
    assert.deepEqual(created('resourceslices.resource.k8s.io', { spec }), [
      'spec: Required value: exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required',
      'spec.devices[0].attributes[x]: Invalid value: "": exactly one value must be specified',
    ]);
  });
});
