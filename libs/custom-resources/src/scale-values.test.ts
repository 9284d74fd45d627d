import assert from 'node:assert/strict';
import { validateScaleSpec } from './scale-values.ts';

describe('replica counts of custom resources', () => {
  const scale = { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' };
  const messages = (n: unknown) => validateScaleSpec({ spec: { n } }, scale).map((error) => error.message);

  it('are whole, not negative and of 32 bits, and shown as they are', () => {
    assert.deepEqual(messages(3), []);
    assert.deepEqual(messages(-1), ['Invalid value: -1: should be a non-negative integer']);
    assert.deepEqual(messages(9007199254740993n), [
      'Invalid value: 9007199254740993: should be less than or equal to 2147483647',
    ]);
  });

  it('are no floats, however large or small', () => {
    assert.deepEqual(messages(1e22), [
      'Invalid value: 0: .spec.n accessor error: 1e+22 is of the type float64, expected int64',
    ]);
    assert.deepEqual(messages(-1e-7), [
      'Invalid value: 0: .spec.n accessor error: -1e-07 is of the type float64, expected int64',
    ]);
  });
});
