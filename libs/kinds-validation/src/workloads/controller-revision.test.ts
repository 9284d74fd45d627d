import assert from 'node:assert/strict';
import { created, updated } from '../common/validation-for.fixture.ts';

describe('controller revisions', () => {
  it('wants an object as the data of a revision, and keeps it', () => {
    const revisions = 'controllerrevisions.apps';
    assert.deepEqual(created(revisions, { revision: -1 }), [
      'revision: Invalid value: -1: must be greater than or equal to 0',
      'data: Required value: data is mandatory',
    ]);
    assert.deepEqual(created(revisions, { revision: 1, data: 'x' }), [
      'data: Required value: data must be a valid JSON object',
    ]);
    assert.deepEqual(updated(revisions, { revision: -2, data: { a: 2 } }, { revision: 1, data: { a: 1 } }), [
      'revision: Invalid value: -2: must be greater than or equal to 0',
      'data: Invalid value: {"a":2}: field is immutable',
    ]);
    assert.deepEqual(updated(revisions, { revision: 1, data: { a: 1, b: 2 } }, { revision: 1, data: { b: 2, a: 1 } }), [
      'data: Invalid value: {"a":1,"b":2}: field is immutable',
    ]);
  });
});
