import { strict as assert } from 'node:assert';
import { decodeObject } from '@apichain/scheme';
import { builtinTypes } from '@apichain/kinds';
import { container, lines, object, podSpec } from '../common/errors.fixture.ts';
import { defaultCapabilities } from './context.ts';
import { validatePod } from './pod.ts';

const errors = (spec: Record<string, unknown>, capabilities = defaultCapabilities) =>
  lines(validatePod(object('Pod', 'x', { spec: podSpec(spec) }), undefined, capabilities));
const privilegedAllowed = { allowPrivileged: true };
const withContainer = (
  rest: Record<string, unknown>,
  spec: Record<string, unknown> = {},
  capabilities = defaultCapabilities,
) => errors({ containers: [container(rest)], ...spec }, capabilities);

describe('validatePod', () => {
  it('accepts a plain pod, with null for what is absent', () => {
    assert.deepEqual(errors({ volumes: null, affinity: null, initContainers: null }), []);
  });
  it('wants containers with a name and an image', () => {
    assert.deepEqual(errors({ containers: null }), ['spec.containers: Required value']);
    assert.deepEqual(withContainer({ name: '', image: '' }), [
      'spec.containers[0].name: Required value',
      'spec.containers[0].image: Required value',
    ]);
    const unnamed = container({ name: '' });
    assert.deepEqual(errors({ containers: [unnamed, unnamed] }), [
      'spec.containers[0].name: Required value',
      'spec.containers[1].name: Required value',
      'spec.containers[1].name: Duplicate value: ""',
    ]);
    assert.deepEqual(errors({ containers: [container(), container()] }), [
      'spec.containers[1].name: Duplicate value: "c"',
    ]);
  });
  it('tells of a seccomp profile that names no type, and of a file for another type after the type', () => {
    const withProfile = (seccompProfile: unknown) => errors({ securityContext: { seccompProfile } });
    const path = 'spec.securityContext.seccompProfile';
    const onlyLocal = 'can only be set when seccomp type is Localhost';
    assert.deepEqual(withProfile({ localhostProfile: 'p' }), [
      `${path}.type: Required value: type is required when seccompProfile is set`,
      `${path}.localhostProfile: Invalid value: {"Type":"","LocalhostProfile":"p"}: ${onlyLocal}`,
    ]);
    assert.deepEqual(withProfile({ type: 'X', localhostProfile: 'p' }), [
      `${path}.type: Unsupported value: "X": supported values: "Localhost", "RuntimeDefault", "Unconfined"`,
      `${path}.localhostProfile: Invalid value: {"Type":"X","LocalhostProfile":"p"}: ${onlyLocal}`,
    ]);
  });
  it('tells of an unknown type of AppArmor profile, not of the file as well', () => {
    const appArmorProfile = { type: 'X', localhostProfile: 'p' };
    assert.deepEqual(errors({ securityContext: { appArmorProfile } }), [
      'spec.securityContext.appArmorProfile.type: Unsupported value: "X": supported values: "Localhost", "RuntimeDefault", "Unconfined"',
    ]);
  });
  it('reads the tolerations of the annotation, where members of another type are absent', () => {
    const withAnnotation = (value: unknown) => {
      const pod = object('Pod', 'x', { spec: podSpec() });
      pod.metadata.annotations = { 'scheduler.alpha.kubernetes.io/tolerations': JSON.stringify(value) };
      return lines(validatePod(pod, undefined, defaultCapabilities));
    };
    const path = 'metadata.annotations.scheduler.alpha.kubernetes.io/tolerations[0]';
    assert.deepEqual(withAnnotation([{ key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 1 }]), []);
    assert.deepEqual(withAnnotation('a'), []);
    assert.deepEqual(withAnnotation([{ key: 5, operator: 'Equal', value: ['a'], tolerationSeconds: 1 }]), [
      `${path}.operator: Invalid value: "Equal": operator must be Exists when \`key\` is empty, which means "match all values and all keys"`,
      `${path}.effect: Invalid value: "": effect must be 'NoExecute' when \`tolerationSeconds\` is set`,
    ]);
  });
  it('lists the claims that a container may use, in order', () => {
    const resourceClaims = ['b', 'a'].map((name) => ({ name, resourceClaimName: 'x' }));
    const path = 'spec.containers[0].resources.claims';
    assert.deepEqual(withContainer({ resources: { claims: [{ name: 'c' }, {}] } }, { resourceClaims }), [
      `${path}[0]: Not found: "c": must be one of the names in pod.spec.resourceClaims: a, b`,
      `${path}[1]: Required value`,
    ]);
  });
  it('checks the claims of the pod as a whole although it may have none', () => {
    assert.deepEqual(errors({ resources: { claims: [{ name: 'c' }] } }), [
      'spec.resources.claims: Forbidden: claims may not be set for Resources at pod-level',
      'spec.resources.claims[0]: Not found: "c": must be one of the names in pod.spec.resourceClaims which is empty',
    ]);
  });
  it('checks the name of the claim of an ephemeral volume only when the volume has one', () => {
    const volumeClaimTemplate = { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1' } } } };
    const volume = (rest: Record<string, unknown>) => ({ volumes: [{ ...rest, ephemeral: { volumeClaimTemplate } }] });
    assert.deepEqual(errors(volume({})), ['spec.volumes[0].name: Required value']);
    assert.match(errors(volume({ name: 'a\nb' }))[0] ?? '', /: PVC name "x-a\\nb": /);
  });
  it('counts a label key that a selector has gathered twice once', () => {
    const expression = { key: 'k', operator: 'In', values: ['v'] };
    const term = { topologyKey: 'zone', matchLabelKeys: ['k', 'k'] };
    const path = 'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]';
    const withTerm = (rest: Record<string, unknown>) =>
      errors({ affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ ...term, ...rest }] } } });
    assert.deepEqual(withTerm({ labelSelector: { matchExpressions: [expression, expression] } }), [
      `${path}[1]: Invalid value: "k": exists in both matchLabelKeys and labelSelector`,
    ]);
    assert.deepEqual(withTerm({ matchLabelKeys: ['-'] }), [
      `${path}.matchLabelKeys: Forbidden: must not be specified when labelSelector is not set`,
    ]);
  });
  it('looks at every source of a projected volume, and at its paths but for those of tokens', () => {
    const keys = { name: 'n', items: [{ key: 'k', path: 'p' }] };
    const serviceAccountToken = { path: 'p', expirationSeconds: 600 };
    const withSources = (...sources: unknown[]) =>
      errors({ serviceAccountName: 's', volumes: [{ name: 'v', projected: { sources } }] });
    assert.deepEqual(withSources({ secret: keys }, { serviceAccountToken }), []);
    const path = 'spec.volumes[0].projected';
    assert.deepEqual(withSources({ secret: keys, configMap: keys, serviceAccountToken }), [
      `${path}: Invalid value: "n": conflicting duplicate paths`,
      `${path}.sources[0]: Forbidden: may not specify more than 1 volume type per source`,
    ]);
  });
  it('tells what an ephemeral container may not have in the order of its type, empty lists too', () => {
    const ephemeral = {
      ...container(),
      name: 'e',
      livenessProbe: { exec: { command: ['a'] } },
      restartPolicy: 'Always',
    };
    const given = { ...ephemeral, ports: [], resources: { limits: {} }, lifecycle: {} };
    const pod = { spec: podSpec({ ephemeralContainers: [given, { ...ephemeral, name: 'f' }] }) };
    const { object: decoded } = decodeObject(pod, builtinTypes.type('core.v1.Pod'));
    const refused = lines(
      validatePod({ ...object('Pod', 'x', {}), ...decoded }, undefined, defaultCapabilities),
    ).filter((line) => line.endsWith('cannot be set for an Ephemeral Container'));
    assert.deepEqual(
      refused.map((line) => line.replace(/^spec\.ephemeralContainers|: .*$/g, '')),
      [
        ...['ports', 'resources', 'restartPolicy', 'livenessProbe', 'lifecycle'].map((name) => `[0].${name}`),
        ...['restartPolicy', 'livenessProbe'].map((name) => `[1].${name}`),
      ],
    );
  });
  it('looks at no restart rules of an init container that has no policy', () => {
    const initContainers = [container({ name: 'i', restartPolicyRules: [{}] })];
    assert.deepEqual(errors({ initContainers }), [
      'spec.initContainers[0].restartPolicy: Required value: must specify restartPolicy when restart rules are used',
    ]);
  });
  it('tells a claim that is used as a whole and by requests', () => {
    const resourceClaims = [{ name: 'a', resourceClaimName: 'x' }];
    const claims = [
      { name: 'a', request: 'r' },
      { name: 'a', request: 's' },
      { name: 'a' },
      { name: 'a', request: '-' },
    ];
    const path = 'spec.containers[0].resources.claims';
    assert.deepEqual(withContainer({ resources: { claims } }, { resourceClaims }), [
      `${path}[2]: Duplicate value: "a"`,
      `${path}[2]: Duplicate value: "a"`,
      `${path}[3]: Duplicate value: "a"`,
    ]);
  });
  it('knows the claims that the pod as a whole names', () => {
    assert.deepEqual(errors({ resources: { claims: [{ name: 'c' }] } }), [
      'spec.resources.claims: Forbidden: claims may not be set for Resources at pod-level',
      'spec.resources.claims[0]: Not found: "c": must be one of the names in pod.spec.resourceClaims which is empty',
    ]);
  });
  it('tells of a second source of a volume, and of the length that iSCSI adds to its name', () => {
    const emptyDir = {};
    assert.deepEqual(errors({ volumes: [{ name: 'v', emptyDir, downwardAPI: {} }] }), [
      'spec.volumes[0].downwarAPI: Forbidden: may not specify more than 1 volume type',
    ]);
    const name = 'v'.repeat(63);
    const iscsi = { targetPortal: '1.2.3.4', iqn: 'iqn.2001-04.com.example:x', initiatorName: 'i' };
    assert.deepEqual(errors({ volumes: [{ name, emptyDir, iscsi }] }), [
      'spec.volumes[0].iscsi: Forbidden: may not specify more than 1 volume type',
      `spec.volumes[0].name: Invalid value: "${name}": Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.`,
    ]);
  });
  it('looks at the lun of a fibre channel that is named twice', () => {
    const both = { targetWWNs: ['a'], wwids: ['b'] };
    const at = 'spec.volumes[0].fc';
    const twice = `${at}.targetWWNs: Invalid value: ["a"]: targetWWNs and wwids can not be specified simultaneously`;
    assert.deepEqual(errors({ volumes: [{ name: 'v', fc: both }] }), [
      twice,
      `${at}.lun: Required value: lun is required if targetWWNs is specified`,
    ]);
    assert.deepEqual(errors({ volumes: [{ name: 'v', fc: { ...both, lun: 300 } }] }), [
      twice,
      `${at}.lun: Invalid value: 300: must be between 0 and 255, inclusive`,
    ]);
  });
  it('tells what a Windows pod may not have of its host before its seccomp profile', () => {
    const securityContext = { seccompProfile: { type: 'RuntimeDefault' } };
    const detail = 'Forbidden: cannot be set for a windows pod';
    assert.deepEqual(errors({ os: { name: 'windows' }, hostUsers: true, securityContext }), [
      `spec.hostUsers: ${detail}`,
      `spec.securityContext.seccompProfile: ${detail}`,
    ]);
  });
  it('checks ports and conflicts on the host', () => {
    const port = { protocol: 'TCP', containerPort: 80, hostPort: 81 };
    assert.deepEqual(withContainer({ ports: [port, { ...port, containerPort: 82 }] }), [
      'spec.containers[0].ports[1].hostPort: Duplicate value: "TCP//81"',
    ]);
    assert.deepEqual(withContainer({ ports: [port] }, { hostNetwork: true }), [
      'spec.containers[0].ports[0].hostPort: Invalid value: 81: must match `containerPort` when `hostNetwork` is true',
    ]);
  });
  it('finds mounts of volumes that are missing or wrong', () => {
    const mount = { name: 'v', mountPath: '/x' };
    assert.deepEqual(withContainer({ volumeMounts: [mount] }), [
      'spec.containers[0].volumeMounts[0].name: Not found: "v"',
    ]);
    assert.deepEqual(
      withContainer(
        { volumeMounts: [mount, mount] },
        { volumes: [{ name: 'v', emptyDir: {}, hostPath: { path: '/' }, downwardAPI: {} }] },
      ),
      [
        'spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume type',
        'spec.volumes[0].downwarAPI: Forbidden: may not specify more than 1 volume type',
        'spec.containers[0].volumeMounts[0].name: Not found: "v"',
        'spec.containers[0].volumeMounts[1].name: Not found: "v"',
        'spec.containers[0].volumeMounts[1].mountPath: Invalid value: "/x": must be unique',
      ],
    );
  });
  it('checks environment variables', () => {
    const env = [{ name: 'A', value: 'x', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'spec.x' } } }];
    assert.deepEqual(withContainer({ env }), [
      'spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Invalid value: "spec.x": error converting fieldPath: field label not supported: spec.x',
      'spec.containers[0].env[0].valueFrom: Invalid value: "": may not be specified when `value` is not empty',
    ]);
  });
  it('compares divisors as they are written', () => {
    const told = (divisor: string) =>
      withContainer({ env: [{ name: 'E', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor } } }] });
    const path = 'spec.containers[0].env[0].valueFrom.resourceFieldRef.divisor';
    assert.deepEqual([told('1m'), told('1.0'), told('0.001')], [[], [], []]);
    assert.deepEqual(told('1e-3'), [
      `${path}: Invalid value: "limits.cpu": only divisor's values 1m and 1 are supported with the cpu resource`,
    ]);
  });
  it('wants one handler a probe', () => {
    const probe = { successThreshold: 2, tcpSocket: { port: 80 }, exec: { command: ['a'] } };
    assert.deepEqual(withContainer({ livenessProbe: probe }), [
      'spec.containers[0].livenessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type',
      'spec.containers[0].livenessProbe.successThreshold: Invalid value: 2: must be 1',
    ]);
  });
  it('lets only sidecars have probes among init containers', () => {
    const init = container({ name: 'i', startupProbe: { successThreshold: 1, exec: { command: ['a'] } } });
    assert.deepEqual(errors({ initContainers: [init] }), [
      'spec.initContainers[0].startupProbe: Forbidden: may not be set for init containers without restartPolicy=Always',
    ]);
    assert.deepEqual(errors({ initContainers: [{ ...init, restartPolicy: 'Always' }] }), []);
  });
  it('checks tolerations, spread and affinity', () => {
    assert.deepEqual(errors({ tolerations: [{ key: 'a', operator: 'Exists', value: 'x' }] }), [
      'spec.tolerations[0].operator: Invalid value: "x": value must be empty when `operator` is \'Exists\'',
    ]);
    const spread = { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' };
    assert.deepEqual(errors({ topologySpreadConstraints: [spread, spread] }), [
      'spec.topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}: Duplicate value: "{zone, DoNotSchedule}"',
    ]);
    const required = { nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Gt', values: [] }] }] };
    const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } };
    assert.deepEqual(errors({ affinity }), [
      "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].values: Required value: must be specified single value when `operator` is 'Lt' or 'Gt'",
    ]);
  });
  it('prints a security context that contradicts itself', () => {
    const contradiction = { securityContext: { privileged: true, allowPrivilegeEscalation: false } };
    const [error = ''] = withContainer(contradiction, {}, privilegedAllowed);
    assert.match(
      error,
      /^spec\.containers\[0\]\.securityContext: Invalid value: \{"Capabilities":null,"Privileged":true,/,
    );
  });
  it('knows privileged containers and processes of the host only where the cluster allows them', () => {
    const privileged = { securityContext: { privileged: true, runAsUser: -1 } };
    const refused = /^spec\.containers\[0\]\.securityContext\.privileged: Forbidden: disallowed by cluster policy$/;
    const [first = '', second = ''] = withContainer(privileged);
    assert.match(first, refused);
    assert.match(second, /runAsUser: Invalid value/);
    assert.equal(withContainer(privileged, {}, privilegedAllowed).length, 1);
    assert.equal(withContainer(privileged).length, 2);
    const hostProcess = { securityContext: { windowsOptions: { hostProcess: true } }, hostNetwork: true };
    assert.deepEqual(errors(hostProcess), ['spec: Forbidden: hostProcess containers are disallowed by cluster policy']);
    assert.deepEqual(errors(hostProcess, privilegedAllowed), []);
  });
  it('keeps Linux settings from Windows pods', () => {
    assert.deepEqual(errors({ os: { name: 'windows' }, securityContext: { runAsUser: 1 } }), [
      'spec.securityContext.runAsUser: Forbidden: cannot be set for a windows pod',
    ]);
  });
  it('knows what only a new pod must not have', () => {
    const ephemeral = { ...container({ name: 'e' }), resources: {} };
    assert.deepEqual(errors({ ephemeralContainers: [ephemeral], nodeName: 'n', schedulingGates: [{ name: 'g' }] }), [
      'spec.ephemeralContainers: Forbidden: cannot be set on create',
      'spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared',
    ]);
  });
});
