import assert from 'node:assert/strict';
import type { KubeObject } from '@apichain/meta';
import { testAttributes, testAttributesOf, testLookup, testPod } from '../attributes.fixture.ts';
import { DefaultIngressClass, DefaultStorageClass } from './default-class.ts';
import { DefaultTolerationSeconds } from './default-toleration-seconds.ts';
import { ExtendedResourceToleration } from './extended-resource-toleration.ts';
import { PodTopologyLabels } from './pod-topology-labels.ts';
import { StorageObjectInUseProtection } from './storage-object-in-use-protection.ts';
import { TaintNodesByCondition } from './taint-nodes-by-condition.ts';

const core = (resource: string) => ({ group: '', resource });

describe('defaulting plugins', () => {
  it('DefaultTolerationSeconds adds missing tolerations', () => {
    const own = { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' };
    const object = testPod({ tolerations: [own] });
    new DefaultTolerationSeconds({ notReadySeconds: 1, unreachableSeconds: 7 }).admit(testAttributes({ object }));
    assert.deepEqual(object.spec, {
      tolerations: [
        own,
        { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 7 },
      ],
    });
    const all = testPod({ tolerations: [{ operator: 'Exists' }] });
    new DefaultTolerationSeconds().admit(testAttributes({ object: all }));
    assert.deepEqual(all.spec, { tolerations: [{ operator: 'Exists' }] });
  });

  it('TaintNodesByCondition taints a new node once', () => {
    const node: KubeObject = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } };
    const plugin = new TaintNodesByCondition();
    plugin.admit(testAttributesOf(core('nodes'), node));
    plugin.admit(testAttributesOf(core('nodes'), node));
    assert.deepEqual(node.spec, { taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] });
  });

  it('StorageObjectInUseProtection adds the finalizer of the kind once', () => {
    const claim: KubeObject = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { finalizers: ['x/y'] } };
    const plugin = new StorageObjectInUseProtection();
    plugin.admit(testAttributesOf(core('persistentvolumeclaims'), claim));
    plugin.admit(testAttributesOf(core('persistentvolumeclaims'), claim));
    assert.deepEqual(claim.metadata.finalizers, ['x/y', 'kubernetes.io/pvc-protection']);
  });

  it('DefaultStorageClass selects the newest default class, and keeps an empty class name', async () => {
    const storageClass = (name: string, creationTimestamp: string, isDefault = 'true'): KubeObject => ({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: {
        name,
        creationTimestamp,
        annotations: { 'storageclass.kubernetes.io/is-default-class': isDefault },
      },
    });
    const storageclasses = [
      storageClass('old', '2020-01-01T00:00:00Z'),
      storageClass('b', '2021-01-01T00:00:00Z'),
      storageClass('a', '2021-01-01T00:00:00Z'),
      storageClass('no', '2022-01-01T00:00:00Z', 'false'),
    ];
    const plugin = new DefaultStorageClass(testLookup({ storageclasses }));
    const claim = (spec: Record<string, unknown>): KubeObject => ({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'c' },
      spec,
    });
    const plain = claim({});
    await plugin.admit(testAttributesOf(core('persistentvolumeclaims'), plain));
    assert.deepEqual(plain.spec, { storageClassName: 'a' });
    const none = claim({ storageClassName: '' });
    await plugin.admit(testAttributesOf(core('persistentvolumeclaims'), none));
    assert.deepEqual(none.spec, { storageClassName: '' });
  });

  it('DefaultIngressClass respects the deprecated annotation', async () => {
    const ingressclasses: KubeObject[] = [
      {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'IngressClass',
        metadata: { name: 'x', annotations: { 'ingressclass.kubernetes.io/is-default-class': 'true' } },
      },
    ];
    const plugin = new DefaultIngressClass(testLookup({ ingressclasses }));
    const resource = { group: 'networking.k8s.io', resource: 'ingresses' };
    const ingress = (annotations?: Record<string, string>): KubeObject => ({
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: { name: 'i', ...(annotations === undefined ? {} : { annotations }) },
      spec: {},
    });
    const plain = ingress();
    await plugin.admit(testAttributesOf(resource, plain));
    assert.deepEqual(plain.spec, { ingressClassName: 'x' });
    const annotated = ingress({ 'kubernetes.io/ingress.class': 'nginx' });
    await plugin.admit(testAttributesOf(resource, annotated));
    assert.deepEqual(annotated.spec, {});
  });

  it('ExtendedResourceToleration tolerates the taints of requested resources', () => {
    const requests = { cpu: '1', 'example.com/gpu': '1', 'kubernetes.io/batteries': '1' };
    const object = testPod({ containers: [{ name: 'c', resources: { requests } }] });
    new ExtendedResourceToleration().admit(testAttributes({ object }));
    const { tolerations } = object.spec as { tolerations: unknown };
    assert.deepEqual(tolerations, [{ key: 'example.com/gpu', operator: 'Exists', effect: 'NoSchedule' }]);
  });

  it('PodTopologyLabels copies the labels of the node to a binding, without overwriting', async () => {
    const labels = { 'topology.kubernetes.io/zone': 'z', 'topology.kubernetes.io/region': 'r', other: 'x' };
    const nodes: KubeObject[] = [{ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n', labels } }];
    const binding: KubeObject = {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name: 'a', labels: { 'topology.kubernetes.io/zone': 'own' } },
      target: { kind: 'Node', name: 'n' },
    };
    await new PodTopologyLabels(testLookup({ nodes })).admit(
      testAttributes({ object: binding, subresource: 'binding' }),
    );
    assert.deepEqual(binding.metadata.labels, {
      'topology.kubernetes.io/zone': 'own',
      'topology.kubernetes.io/region': 'r',
    });
  });
});
