import assert from 'node:assert/strict';
import { fieldChanges, isOfStatus } from './field-changes.ts';

describe('the fields that a change has changed', () => {
  const textsOf = (before: unknown, after: unknown) =>
    fieldChanges(before, after).map(({ field, before: old, after: now }) => [field, old, now]);

  it('are told with their values, without what every write changes', () => {
    const before = {
      metadata: { resourceVersion: '1', generation: 1 },
      spec: { replicas: 2, paused: true, same: [1] },
    };
    const after = { metadata: { resourceVersion: '2', generation: 2 }, spec: { replicas: 3, same: [1], text: 'a' } };
    assert.deepEqual(textsOf(before, after), [
      ['spec.replicas', '2', '3'],
      ['spec.text', undefined, 'a'],
      ['spec.paused', 'true', undefined],
    ]);
  });

  it('find the items of a list by name or type, wherever they stand', () => {
    const containers = (image: string) => [{ name: 'side', image: 'x' }, ...[{ name: 'web', image }]];
    assert.deepEqual(textsOf({ containers: containers('a') }, { containers: containers('b').reverse() }), [
      ['containers[web].image', 'a', 'b'],
    ]);
    const condition = (status: string) => ({ conditions: [{ type: 'Ready', status }] });
    assert.deepEqual(textsOf(condition('False'), condition('True')), [['conditions[Ready].status', 'False', 'True']]);
    assert.deepEqual(textsOf({ args: ['a', 'b'] }, { args: ['a'] }), [['args[1]', 'b', undefined]]);
  });

  it('quote names with dots, and are bounded', () => {
    const annotations = (value: string) => ({ metadata: { annotations: { 'a.b/c': value } } });
    assert.deepEqual(textsOf(annotations('1'), annotations('2')), [['metadata.annotations["a.b/c"]', '1', '2']]);
    const [long] = fieldChanges({ data: 'x' }, { data: 'y'.repeat(100_000) });
    assert.ok((long?.after?.length ?? 0) < 1000);
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`f${at}`, at]));
    assert.ok(fieldChanges({ status: {} }, { status: many }).length < 100);
  });

  it('may be those of the status alone', () => {
    assert.equal(isOfStatus(fieldChanges({ status: { a: 1 } }, { status: { a: 2 } })), true);
    assert.equal(isOfStatus(fieldChanges({ status: { a: 1 }, spec: 1 }, { status: { a: 2 }, spec: 2 })), false);
    assert.equal(isOfStatus([]), false);
  });
});
