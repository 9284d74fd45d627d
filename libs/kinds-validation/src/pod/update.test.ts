import { strict as assert } from 'node:assert';
import type { KubeObject } from '@apichain/meta';
import { decodeObject } from '@apichain/scheme';
import { builtinType } from '@apichain/kinds';
import { container, lines, object, podSpec } from '../common/errors.fixture.ts';
import { validateEphemeralContainers } from './ephemeral-containers.ts';
import { validatePodResize } from './resize.ts';
import { validatePodStatusUpdate } from './status.ts';
import { validatePodUpdate } from './update.ts';
import { defaultCapabilities } from './context.ts';

const pod = (spec: Record<string, unknown> = {}, status: Record<string, unknown> = {}) =>
  object('Pod', 'x', { spec: podSpec(spec), status });

describe('validatePodUpdate', () => {
  const errors = (spec: Record<string, unknown>, old: Record<string, unknown> = {}) =>
    lines(validatePodUpdate(pod(spec), pod(old), defaultCapabilities));

  it('lets images, deadlines and further tolerations through', () => {
    assert.deepEqual(errors({ containers: [container({ image: 'img:2' })], activeDeadlineSeconds: 5 }), []);
    assert.deepEqual(errors({ tolerations: [{ key: 'a', operator: 'Exists' }] }), []);
  });
  it('shows what else changed as a difference', () => {
    const [error = '', ...more] = errors({ nodeName: 'n' });
    assert.deepEqual(more, []);
    assert.match(
      error,
      /^spec: Forbidden: pod updates may not change fields other than `spec\.containers\[\*\]\.image`/,
    );
    assert.match(error, /\n- "NodeName": "",\n\+ "NodeName": "n",\n/);
  });
  it('stops at added containers and at longer deadlines', () => {
    assert.deepEqual(errors({ containers: [container(), container({ name: 'd' })] }), [
      'spec.containers: Forbidden: pod updates may not add or remove containers',
    ]);
    assert.deepEqual(errors({ activeDeadlineSeconds: 20 }, { activeDeadlineSeconds: 10 }), [
      'spec.activeDeadlineSeconds: Invalid value: 20: must be less than or equal to previous value',
    ]);
  });
  it('checks images of all containers once more, blanks around them included', () => {
    const blank = ' must not have leading or trailing whitespace';
    for (const name of ['containers', 'initContainers']) {
      const containers = (image: string) => ({ [name]: [container({ name: 'i', image })] });
      const error = `spec.${name}[0].image: Invalid value: " a":${blank}`;
      assert.deepEqual(errors(containers(' a'), containers('a')), [error, error]);
    }
  });
  it('lets a gated pod be told more precisely where to go', () => {
    const gates = { schedulingGates: [{ name: 'g' }], nodeSelector: { a: 'b' } };
    assert.deepEqual(errors({ ...gates, nodeSelector: { a: 'b', c: 'd' } }, gates), []);
    assert.deepEqual(errors({ ...gates, nodeSelector: { c: 'd' } }, gates), [
      'spec.nodeSelector: Invalid value: {"c":"d"}: only additions to spec.nodeSelector are allowed (no mutations or deletions)',
    ]);
    const preference = { matchExpressions: [{ key: 'k', operator: 'Exists' }] };
    const preferred = { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference }] };
    const affinity = { nodeAffinity: preferred, podAffinity: {} };
    assert.deepEqual(errors({ ...gates, affinity: { podAffinity: {} } }, { ...gates, affinity }), []);
    assert.deepEqual(errors({ ...gates, affinity: { nodeAffinity: {} } }, gates), []);
    assert.equal(errors({ ...gates, affinity: {} }, gates).length, 1);
  });
  it('lets a gated pod keep or sharpen the terms of its node selector, no more', () => {
    const gated = (terms: unknown) => ({
      schedulingGates: [{ name: 'g' }],
      affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } },
    });
    const path = 'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms';
    const term = { matchExpressions: [{ key: 'k', operator: 'Exists' }] };
    const shown = '{"MatchExpressions":[{"Key":"k","Operator":"Exists","Values":null}],"MatchFields":null}';
    const noOthers = 'no additions/deletions to non-empty NodeSelectorTerms list are allowed';
    assert.deepEqual(errors(gated([term, term]), gated([{}])), [
      `${path}: Invalid value: [${shown},${shown}]: ${noOthers}`,
    ]);
    const onlyMore = 'only additions are allowed (no mutations or deletions)';
    assert.deepEqual(errors(gated([term]), gated([{}])), [`${path}[0]: Invalid value: ${shown}: ${onlyMore}`]);
  });
  it('knows both ways to change labels of SELinux once one is in use', () => {
    const using = (seLinuxChangePolicy: string) => ({ securityContext: { seLinuxChangePolicy } });
    const path = 'spec.securityContext.seLinuxChangePolicy';
    const [error] = errors(using('x'), using('Recursive'));
    assert.equal(error, `${path}: Unsupported value: "x": supported values: "MountOption", "Recursive"`);
  });
  it('tells a struct in which nothing is set from an absent one', () => {
    const [error = ''] = errors({ containers: [container({ lifecycle: {} })] }, { containers: [container()] });
    assert.match(error, /\n- {3}"Lifecycle": null,\n\+ {3}"Lifecycle": \{\n/);
  });
  it('shows a list that was given without items as an empty one', () => {
    const type = builtinType({ group: '', version: 'v1', kind: 'Pod' });
    assert.ok(type !== undefined);
    const { object: given } = decodeObject(pod({ volumes: [], containers: [container({ ports: [] })] }), type);
    const volumes = [{ name: 'v', emptyDir: {} }];
    const ports = [{ containerPort: 80, protocol: 'TCP' }];
    const [error = ''] = lines(
      validatePodUpdate(given as KubeObject, pod({ volumes, containers: [container({ ports })] }), defaultCapabilities),
    );
    assert.match(error, /\n\+ "Volumes": \[\],\n/);
    assert.match(error, /\n\+ {3}"Ports": \[\],\n/);
  });
});

describe('pod subresources', () => {
  it('keeps ephemeral containers that are there', () => {
    const e = container({ name: 'e' });
    const [gone] = lines(validateEphemeralContainers(pod(), pod({ ephemeralContainers: [e] }), defaultCapabilities));
    assert.equal(gone, 'spec.ephemeralContainers: Forbidden: existing ephemeral containers "e" may not be removed\n');
    const changed = pod({ ephemeralContainers: [{ ...e, image: 'j' }] });
    const [error = ''] = lines(
      validateEphemeralContainers(changed, pod({ ephemeralContainers: [e] }), defaultCapabilities),
    );
    assert.match(error, /may not be changed\n@@ -1,6 \+1,6 @@\n \{\n {2}"Name": "e",\n- "Image": "img:1",/);
  });
  it('resizes cpu and memory only, within the class of service', () => {
    const sized = (cpu: string) => ({ containers: [container({ resources: { requests: { cpu } } })] });
    assert.deepEqual(lines(validatePodResize(pod(sized('2')), pod(sized('1')), defaultCapabilities)), []);
    assert.deepEqual(lines(validatePodResize(pod(), pod(sized('1')), defaultCapabilities)), [
      'spec: Invalid value: "": Pod QOS Class may not change as a result of resizing',
      'spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed',
    ]);
    const image = { containers: [container({ image: 'j', resources: { requests: { cpu: '1' } } })] };
    assert.deepEqual(lines(validatePodResize(pod(image), pod(sized('1')), defaultCapabilities)), [
      'spec: Forbidden: only cpu and memory resources are mutable',
    ]);
  });
  it('checks what a node reports', () => {
    const old = pod({}, { qosClass: 'BestEffort' });
    const now = pod({}, { qosClass: 'Guaranteed', podIPs: [{ ip: 'nope' }], nominatedNodeName: 'n' });
    assert.deepEqual(lines(validatePodStatusUpdate(now, old)), [
      'status.qosClass: Invalid value: "Guaranteed": field is immutable',
      'status.podIPs[0]: Invalid value: "nope": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    ]);
    const withIps = (...ips: string[]) => pod({}, { podIPs: ips.map((ip) => ({ ip })) });
    const pair = 'may specify no more than one IP for each IP family';
    assert.deepEqual(lines(validatePodStatusUpdate(withIps('10.0.0.1', 'fd00::1'), pod())), []);
    assert.deepEqual(lines(validatePodStatusUpdate(withIps('10.0.0.1', 'x'), withIps('10.0.0.1', 'x'))), [
      'status.podIPs: Internal error: failed to check for dual stack with error:invalid IP[1]: x',
      `status.podIPs: Invalid value: [{"IP":"10.0.0.1"},{"IP":"x"}]: ${pair}`,
    ]);
    const reports = (name: string) =>
      pod({}, { containerStatuses: [{ name: 'c', allocatedResourcesStatus: [{ name }] }] });
    assert.deepEqual(lines(validatePodStatusUpdate(reports('constructor'), pod())), [
      'status.containerStatuses[0].allocatedResourcesStatus[0].name: Invalid value: "constructor": must match one of the container\'s resource requests',
    ]);
    const spec = { resourceClaims: [{ name: 'a', resourceClaimTemplateName: 't' }] };
    const claims = pod(spec, { resourceClaimStatuses: [{ name: 'a', resourceClaimName: '' }] });
    const [error = ''] = lines(validatePodStatusUpdate(claims, pod(spec)));
    assert.match(
      error,
      /^status\.resourceClaimStatuses\[0\]\.resourceClaimName: Invalid value: "": a lowercase RFC 1123/,
    );
    const never = { restartPolicy: 'Never' };
    const status = (state: Record<string, unknown>) => ({ containerStatuses: [{ name: 'c', state }] });
    const ended = pod(never, status({ terminated: { exitCode: 1 } }));
    assert.deepEqual(lines(validatePodStatusUpdate(pod(never, status({ running: {} })), ended)), [
      'status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state',
    ]);
  });
});
