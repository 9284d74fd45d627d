import assert from 'node:assert/strict';
import { collect } from '../common/rules.ts';
import { admissionRuleErrors } from './webhooks.ts';

const errorsOf = (resources: string[]): string[] =>
  collect((out) => {
    admissionRuleErrors(out, 'r', { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources });
  }).map(({ field, message }) => `${field}: ${message}`);

describe('resources of admission rules', () => {
  const beside = "if '*' is present, must not specify other resources without subresources";

  it('leave nothing beside a wildcard, subresources apart', () => {
    assert.deepEqual(errorsOf(['*', 'b/c']), []);
    assert.deepEqual(errorsOf(['*', 'a', 'b/c']), [`r.resources: Invalid value: ["*","a","b/c"]: ${beside}`]);
    assert.deepEqual(errorsOf(['a', '*']), []);
  });

  it('have subresources that reach to the end', () => {
    assert.deepEqual(errorsOf(['*/b', 'a/b/c']), []);
    assert.deepEqual(errorsOf(['*/b', 'a/b']), [
      `r.resources[1]: Invalid value: "a/b": if '*/b' is present, must not specify a/b`,
    ]);
  });
});
