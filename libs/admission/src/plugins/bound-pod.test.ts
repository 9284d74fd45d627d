import assert from 'node:assert/strict';
import { StatusError, type KubeObject } from '@apichain/meta';
import { testAttributes, testLookup, testPod } from '../attributes.fixture.ts';
import { NodeDeclaredFeatureValidator } from './node-declared-feature-validator.ts';
import { PodResizeValidator } from './pod-resize-validator.ts';

const node = (name: string, status: object, labels: Record<string, string> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels },
  status,
});
const lookup = testLookup({
  nodes: [
    node('plain', { allocatable: { cpu: '2', memory: '1Gi' } }),
    node('able', { declaredFeatures: ['GuaranteedQoSPodCPUResize', 'InPlacePodVerticalScalingInitContainers'] }),
    node('windows', {}, { 'kubernetes.io/os': 'windows' }),
  ],
});

const container = (cpu: string, more: object = {}) => ({ name: 'c', resources: { requests: { cpu } }, ...more });
const pod = (nodeName: string, spec: object, generation: number, qosClass: string): KubeObject => ({
  ...testPod({ nodeName, ...spec }, { name: 'a', generation }),
  status: { qosClass },
});
/** An update that changes the spec; with `generation` 1 the spec is unchanged. */
const update = (nodeName: string, old: object, changed: object, { qosClass = 'Guaranteed', generation = 2 } = {}) =>
  testAttributes({
    operation: 'UPDATE',
    subresource: 'resize',
    object: pod(nodeName, changed, generation, qosClass),
    oldObject: pod(nodeName, old, 1, qosClass),
  });
const refusal = async (
  plugin: NodeDeclaredFeatureValidator | PodResizeValidator,
  attributes: ReturnType<typeof update>,
) => {
  try {
    await plugin.validate(attributes);
    return undefined;
  } catch (error) {
    assert.ok(error instanceof StatusError);
    return error.status;
  }
};
const before = { containers: [container('1')] };
const after = { containers: [container('1500m')] };

describe('changes of pods that have a node', () => {
  it('need features that the node declares', async () => {
    const plugin = new NodeDeclaredFeatureValidator(lookup);
    const message = async (...args: Parameters<typeof update>) => (await refusal(plugin, update(...args)))?.message;
    const missing = (feature: string) =>
      `pods "a" is forbidden: pod update requires features ${feature} which are not available on node "plain"`;
    assert.equal(await message('plain', before, after), missing('GuaranteedQoSPodCPUResize'));
    assert.equal(await message('none', before, after), 'pods "a" is forbidden: node "none" not found');
    assert.equal(await message('', before, after), undefined);
    assert.equal(await message('able', before, after), undefined);
    assert.equal(await message('plain', before, after, { qosClass: 'Burstable' }), undefined);
    assert.equal(await message('plain', before, after, { generation: 1 }), undefined);
    const same = { containers: [container('1000m')] };
    assert.equal(await message('plain', before, same), undefined);
    const whole = { ...before, resources: { requests: { cpu: '1' } } };
    assert.equal(await message('plain', before, whole), missing('InPlacePodLevelResourcesVerticalScaling'));
    const withInit = (cpu: string, more: object) => ({ ...before, initContainers: [container(cpu, more)] });
    const init = await message('plain', withInit('1', {}), withInit('2', {}));
    assert.equal(init, missing('InPlacePodVerticalScalingInitContainers'));
    const sidecar = { restartPolicy: 'Always' };
    assert.equal(await message('plain', withInit('1', sidecar), withInit('2', sidecar)), undefined);
  });

  it('request at most the capacity of the node, on Linux', async () => {
    const plugin = new PodResizeValidator(lookup);
    const status = (...args: Parameters<typeof update>) => refusal(plugin, update(...args));
    assert.equal(await status('plain', before, after), undefined);
    assert.equal((await status('none', before, after))?.message, 'pods "a" is forbidden: node "none" not found');
    const large = { containers: [{ name: 'c', resources: { requests: { cpu: '3', memory: '2Gi' } } }] };
    const refused = await status('plain', before, large);
    assert.equal(
      refused?.message,
      'pods "a" is forbidden: node didn\'t have enough allocatable resources: cpu, requested: 3000, allocatable: 2000; memory, requested: 2147483648, allocatable: 1073741824',
    );
    assert.deepEqual(refused.details?.causes, [{ reason: 'NodeCapacity' }]);
    assert.equal(
      (await status('windows', before, after))?.message,
      'pods "a" is forbidden: pod resize is only supported on linux nodes, node "windows" is "windows"',
    );
  });
});
