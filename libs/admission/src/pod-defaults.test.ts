import assert from 'node:assert/strict';
import type { KubeObject } from '@apichain/meta';
import type { AdmissionAttributes } from './plugin.ts';
import {
  DefaultTolerationSeconds,
  Priority,
  StorageObjectInUseProtection,
  TaintNodesByCondition,
  type PriorityClass,
} from './pod-defaults.ts';

const attributes = (resource: string, object: KubeObject): AdmissionAttributes => ({
  operation: 'CREATE',
  kind: { group: '', version: 'v1', kind: object.kind },
  resource: { group: '', version: 'v1', resource },
  subresource: '',
  namespace: 'ns',
  name: 'a',
  object,
  dryRun: false,
  user: { name: 'u', uid: '', groups: [], extra: {} },
  warn: () => undefined,
});
const pod = (spec: Record<string, unknown> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a' },
  spec,
});

describe('plugins that complete objects', () => {
  it('DefaultTolerationSeconds adds what the pod does not tolerate itself', () => {
    const own = { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' };
    const object = pod({ tolerations: [own] });
    new DefaultTolerationSeconds().admit(attributes('pods', object));
    assert.deepEqual(object.spec, {
      tolerations: [
        own,
        { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
      ],
    });
    const all = pod({ tolerations: [{ operator: 'Exists' }] });
    new DefaultTolerationSeconds().admit(attributes('pods', all));
    assert.deepEqual(all.spec, { tolerations: [{ operator: 'Exists' }] });
  });

  it('TaintNodesByCondition taints a new node once', () => {
    const node: KubeObject = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } };
    new TaintNodesByCondition().admit(attributes('nodes', node));
    new TaintNodesByCondition().admit(attributes('nodes', node));
    assert.deepEqual(node.spec, { taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] });
  });

  it('StorageObjectInUseProtection adds its finalizer', () => {
    const claim: KubeObject = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'c' } };
    new StorageObjectInUseProtection().admit(attributes('persistentvolumeclaims', claim));
    assert.deepEqual(claim.metadata.finalizers, ['kubernetes.io/pvc-protection']);
  });

  describe('Priority', () => {
    const named: PriorityClass = { name: 'high', value: 9, globalDefault: false, preemptionPolicy: 'Never' };
    const plugin = (classes: readonly PriorityClass[]) =>
      new Priority({
        get: (name) => Promise.resolve(classes.find((found) => found.name === name)),
        list: () => Promise.resolve(classes),
      });

    it('computes priority and policy from the class', async () => {
      const object = pod({ priorityClassName: 'high' });
      await plugin([named]).admit(attributes('pods', object));
      assert.deepEqual(object.spec, { priorityClassName: 'high', priority: 9, preemptionPolicy: 'Never' });
    });

    it('falls back to zero, or to the default class', async () => {
      const plain = pod();
      await plugin([named]).admit(attributes('pods', plain));
      assert.deepEqual(plain.spec, { priority: 0, preemptionPolicy: 'PreemptLowerPriority' });
      const object = pod();
      await plugin([{ ...named, globalDefault: true }]).admit(attributes('pods', object));
      assert.deepEqual(object.spec, { priorityClassName: 'high', priority: 9, preemptionPolicy: 'Never' });
    });

    it('refuses classes that do not exist and numbers of the client', async () => {
      await assert.rejects(
        plugin([]).admit(attributes('pods', pod({ priorityClassName: 'none' }))),
        /pods "a" is forbidden: no PriorityClass with name none was found/,
      );
      await assert.rejects(
        plugin([]).admit(attributes('pods', pod({ priority: 5 }))),
        /the integer value of priority \(5\) must not be provided in pod spec; priority admission controller computed 0/,
      );
    });
  });
});
