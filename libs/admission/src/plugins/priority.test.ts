import assert from 'node:assert/strict';
import type { KubeObject } from '@apichain/meta';
import { testAttributes, testAttributesOf, testLookup, testPod } from '../attributes.fixture.ts';
import { Priority } from './priority.ts';

const priorityClass = (name: string, value: number, globalDefault = false): KubeObject => ({
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name },
  value,
  preemptionPolicy: 'Never',
  ...(globalDefault ? { globalDefault } : {}),
});
const plugin = (...priorityclasses: KubeObject[]) => new Priority(testLookup({ priorityclasses }));
const resource = { group: 'scheduling.k8s.io', resource: 'priorityclasses' };

describe('Priority', () => {
  it('computes priority and policy from the class', async () => {
    const object = testPod({ priorityClassName: 'high' });
    await plugin(priorityClass('high', 9)).admit(testAttributes({ object }));
    assert.deepEqual(object.spec, { priorityClassName: 'high', priority: 9, preemptionPolicy: 'Never' });
  });

  it('uses zero, or the lowest of the default classes', async () => {
    const plain = testPod();
    await plugin(priorityClass('high', 9)).admit(testAttributes({ object: plain }));
    assert.deepEqual(plain.spec, { priority: 0, preemptionPolicy: 'PreemptLowerPriority' });
    const object = testPod();
    const classes = [priorityClass('high', 9, true), priorityClass('low', 3, true)];
    await plugin(...classes).admit(testAttributes({ object }));
    assert.deepEqual(object.spec, { priorityClassName: 'low', priority: 3, preemptionPolicy: 'Never' });
  });

  it('refuses unknown classes and values that the client set', async () => {
    const refused = (spec: Record<string, unknown>, message: RegExp) =>
      assert.rejects(
        async () => plugin(priorityClass('high', 9)).admit(testAttributes({ object: testPod(spec) })),
        message,
      );
    await refused(
      { priorityClassName: 'none' },
      /^StatusError: pods "a" is forbidden: no PriorityClass with name none was found$/,
    );
    await refused(
      { priority: 5 },
      /the integer value of priority \(5\) must not be provided in pod spec; .* computed 0/,
    );
    await refused(
      { priorityClassName: 'high', preemptionPolicy: 'PreemptLowerPriority' },
      /the string value of PreemptionPolicy \(PreemptLowerPriority\) must not be provided .* computed Never/,
    );
    await refused({ preemptionPolicy: '' }, /PreemptionPolicy \(\) must not be provided .* PreemptLowerPriority/);
  });

  it('keeps the resolved values when an update omits them', async () => {
    const object = testPod({});
    const oldObject = testPod({ priority: 4, preemptionPolicy: 'Never' });
    await plugin().admit(testAttributes({ operation: 'UPDATE', object, oldObject }));
    assert.deepEqual(object.spec, { priority: 4, preemptionPolicy: 'Never' });
  });

  it('allows one default class', async () => {
    const present = plugin(priorityClass('first', 1, true));
    await assert.rejects(
      present.validate(testAttributesOf(resource, priorityClass('second', 2, true))),
      /PriorityClass first is already marked as default. Only one default can exist/,
    );
    const same = priorityClass('first', 1, true);
    await present.validate(testAttributesOf(resource, same, { operation: 'UPDATE', oldObject: same }));
  });
});
