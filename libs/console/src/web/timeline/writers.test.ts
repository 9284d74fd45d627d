import assert from 'node:assert/strict';
import { newWriters, writersOf } from './writers.ts';

describe('the writers of an object', () => {
  const entry = (manager: string, second: number, field = 'f:a', subresource = '') => ({
    ...{ manager, operation: 'Update', subresource, time: `2030-01-01T00:00:0${second}Z` },
    fieldsV1: { [field]: {} },
  });
  const of = (...managedFields: readonly object[]) => ({ metadata: { name: 'a', managedFields } });
  const names = (before: ReturnType<typeof of>, after: ReturnType<typeof of>, ...changed: readonly string[]) =>
    newWriters(
      writersOf(before),
      after,
      changed.map((field) => ({ field })),
    ).map(({ manager }) => manager);

  it('are those whose time has changed, and at first all', () => {
    const before = of(entry('kubectl', 1), entry('controller', 2, 'f:b', 'status'));
    assert.deepEqual(names(of(), before), ['kubectl', 'controller']);
    // One that takes fields over changes the fields of others, too.
    const after = of(entry('kubectl', 1, 'f:c'), entry('controller', 2, 'f:b', 'status'), entry('jane', 3));
    assert.deepEqual(names(before, after), ['jane']);
  });

  it('of the same second are those with other fields, or those whose fields have changed', () => {
    const before = of(entry('kubectl', 1), entry('controller', 1, 'f:b', 'status'));
    const after = of(entry('kubectl', 1, 'f:c'), entry('controller', 1, 'f:b', 'status'));
    assert.deepEqual(names(before, after), ['kubectl']);
    assert.deepEqual(names(before, before, 'b.anything'), ['controller']);
    assert.deepEqual(names(before, before, 'a[0].b', 'x'), ['kubectl']);
    assert.deepEqual(names(before, before), []);
    assert.deepEqual(writersOf({ metadata: { name: 'a' } }), []);
  });

  it('of a scale have no time, which servers do not keep', () => {
    const scaled = of(entry('kubectl-create', 1, 'f:spec'), {
      ...{ manager: 'kubectl', operation: 'Update', subresource: 'scale' },
      fieldsV1: { 'f:scaled': { 'f:replicas': {} } },
    });
    assert.deepEqual(names(scaled, scaled, 'scaled.replicas'), ['kubectl']);
    assert.deepEqual(names(scaled, scaled, 'scaled.other'), []);
  });
});
