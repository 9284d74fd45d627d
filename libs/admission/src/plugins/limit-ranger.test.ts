import assert from 'node:assert/strict';
import type { KubeObject } from '@apichain/meta';
import { testAttributes, testAttributesOf, testLookup, testPod } from '../attributes.fixture.ts';
import { LimitRanger } from './limit-ranger.ts';

const limitRanger = (...limits: Record<string, unknown>[]) =>
  new LimitRanger(
    testLookup({
      limitranges: [
        { apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'lr', namespace: 'ns' }, spec: { limits } },
      ],
    }),
  );
const container = (resources: unknown = {}, name = 'c') => ({ name, resources });
const refused = (plugin: LimitRanger, object: KubeObject, message: string) =>
  assert.rejects(plugin.validate(testAttributes({ object })), { message: `pods "a" is forbidden: ${message}` });

describe('LimitRanger', () => {
  it('sets defaults and records them in an annotation', async () => {
    const plugin = limitRanger({
      type: 'Container',
      default: { memory: '1Gi', cpu: '500m' },
      defaultRequest: { cpu: '100m' },
    });
    const object = testPod({
      containers: [container({ limits: { cpu: '1' } })],
      initContainers: [{ name: 'i' }],
    });
    await plugin.admit(testAttributes({ object }));
    assert.deepEqual(object.spec, {
      containers: [container({ limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '100m' } })],
      initContainers: [{ name: 'i', resources: { limits: { memory: '1Gi', cpu: '500m' }, requests: { cpu: '100m' } } }],
    });
    assert.equal(
      object.metadata.annotations?.['kubernetes.io/limit-ranger'],
      'LimitRanger plugin set: cpu request for container c; memory limit for container c; ' +
        'cpu request for init container i; cpu, memory limit for init container i',
    );
  });

  it('computes the requests of the whole pod from the defaults', async () => {
    const object = testPod({ containers: [container()], resources: { limits: { memory: '2Gi' } } });
    const attributes = testAttributes({ object });
    const decode = (pod: KubeObject): KubeObject => ({
      ...pod,
      spec: { resources: { limits: { memory: '2Gi' }, requests: { cpu: '100m', memory: '2Gi' } } },
    });
    const interfaces = { equivalents: [], type: { kind: 'map' as const }, convert: decode, decode };
    await limitRanger({ type: 'Container', defaultRequest: { cpu: '100m' } }).admit({ ...attributes, interfaces });
    assert.deepEqual((object.spec as Record<string, unknown>).resources, {
      limits: { memory: '2Gi' },
      requests: { cpu: '100m', memory: '2Gi' },
    });
  });

  it('enforces bounds of containers', async () => {
    const plugin = limitRanger({ type: 'Container', min: { cpu: '50m' }, max: { cpu: '1' } });
    await refused(
      plugin,
      testPod({ containers: [container({ requests: { cpu: '10m' }, limits: { cpu: '2' } })] }),
      '[minimum cpu usage per Container is 50m, but request is 10m, maximum cpu usage per Container is 1, but limit is 2]',
    );
    await refused(
      plugin,
      testPod({ containers: [container({ requests: { cpu: '60m' } })] }),
      'maximum cpu usage per Container is 1.  No limit is specified',
    );
  });

  it('sums up pods and compares limits with requests', async () => {
    const resources = { requests: { memory: '1Gi' }, limits: { memory: '3Gi' } };
    const object = testPod({ containers: [container(resources), container(resources, 'd')] });
    await refused(
      limitRanger({ type: 'Pod', max: { memory: '5Gi' }, maxLimitRequestRatio: { memory: '2' } }),
      object,
      '[maximum memory usage per Pod is 5Gi, but limit is 6Gi, memory max limit to request ratio per Pod is 2, but provided ratio is 3.000000]',
    );
    await limitRanger({ type: 'Pod', maxLimitRequestRatio: { memory: '3' } }).validate(testAttributes({ object }));
  });

  it('enforces bounds of claims', async () => {
    const claim: KubeObject = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'p' },
      spec: { resources: { requests: { storage: '10Gi' } } },
    };
    const plugin = limitRanger({ type: 'PersistentVolumeClaim', max: { storage: '5Gi' } });
    await assert.rejects(
      plugin.validate(testAttributesOf({ group: '', resource: 'persistentvolumeclaims' }, claim)),
      /maximum storage usage per PersistentVolumeClaim is 5Gi, but request is 10Gi/,
    );
  });
});
