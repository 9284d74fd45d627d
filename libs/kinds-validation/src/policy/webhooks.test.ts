import assert from 'node:assert/strict';
import { collect } from '../common/rules.ts';
import { created } from '../common/validation-for.fixture.ts';
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

describe('webhooks', () => {
  it('checks how they are reached and for what', () => {
    const webhook = {
      name: 'w.example.com',
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      clientConfig: { url: 'http://a' },
      rules: [{ operations: ['*', 'CREATE'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*', 'a'] }],
    };
    assert.deepEqual(created('validatingwebhookconfigurations.admissionregistration.k8s.io', { webhooks: [webhook] }), [
      `webhooks[0].rules[0].operations: Invalid value: ["*","CREATE"]: if '*' is present, must not specify other operations`,
      `webhooks[0].rules[0].resources: Invalid value: ["*","a"]: if '*' is present, must not specify other resources without subresources`,
      `webhooks[0].clientConfig.url: Invalid value: "http": 'https' is the only allowed URL scheme; desired format: https://host[/path]`,
    ]);
  });

  it('compiles the match conditions of webhooks', () => {
    const conditions = ['object.', '1', 'request.operation == "CREATE"', 'object.spec.a'];
    const webhook = {
      name: 'w.example.com',
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      clientConfig: { url: 'https://a' },
      matchConditions: conditions.map((expression, i) => ({ name: `c${i}`, expression })),
    };
    const path = 'webhooks[0].matchConditions';
    assert.deepEqual(created('mutatingwebhookconfigurations.admissionregistration.k8s.io', { webhooks: [webhook] }), [
      `${path}[0].expression: Invalid value: "object.": compilation failed: ERROR: <input>:1:8: Syntax error: no viable alternative at input '.'\n | object.\n | .......^`,
      `${path}[1].expression: Invalid value: "1": must evaluate to bool but got int`,
      `${path}[3].expression: Invalid value: "object.spec.a": must evaluate to bool but got dyn`,
    ]);
  });
});
