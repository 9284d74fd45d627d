import { strict as assert } from 'node:assert';
import { lines, object } from '../common/errors.fixture.ts';
import { defaultCapabilities } from '../pod/context.ts';
import { validationFor } from '../common/validation-for.fixture.ts';

const resourceRules = [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }];
const common = {
  failurePolicy: 'Fail',
  matchConstraints: { resourceRules, matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} },
};
const errorsOf = (resource: string, spec: Record<string, unknown>): string[] =>
  lines(
    validationFor(`${resource}.admissionregistration.k8s.io`).create?.(
      object('Policy', 'p', { spec: { ...common, ...spec } }),
      undefined,
      defaultCapabilities,
    ) ?? [],
  );
const validating = (spec: Record<string, unknown>) => errorsOf('validatingadmissionpolicies', spec);
const mutating = (mutation: Record<string, unknown>) =>
  errorsOf('mutatingadmissionpolicies', { reinvocationPolicy: 'Never', mutations: [mutation] });

describe('expressions of admission policies', () => {
  it('wants validations of type bool, messages of type string', () => {
    const spec = {
      validations: [{ expression: 'object.spec.paused', messageExpression: '1 + 1' }, { expression: 'a' }],
    };
    assert.deepEqual(validating(spec), [
      'spec.validations[0].expression: Invalid value: "object.spec.paused": must evaluate to bool but got dyn',
      'spec.validations[0].messageExpression: Invalid value: "1 + 1": must evaluate to string but got int',
      `spec.validations[1].expression: Invalid value: "a": compilation failed: ERROR: <input>:1:1: undeclared reference to 'a' (in container '')\n | a\n | ^`,
    ]);
  });
  it('knows the variables before, and none where there are none', () => {
    const variables = [
      { name: 'a', expression: 'variables.b' },
      { name: 'b', expression: '2' },
      { name: 'for', expression: '2' },
    ];
    const [first = '', second, ...rest] = validating({ variables, validations: [{ expression: 'variables.b == 2' }] });
    assert.match(first, /^spec\.variables\[0\]\.expression: .*undefined field 'b'/);
    assert.deepEqual(
      [second, ...rest],
      ['spec.variables[2].name: Invalid value: "for": must be a valid CEL identifier'],
    );
    const [error = ''] = validating({ validations: [{ expression: 'variables.b == 2' }] });
    assert.match(error, /undeclared reference to 'variables'/);
  });
  it('declares params where the policy has a kind of them', () => {
    const paramKind = { apiVersion: 'v1', kind: 'ConfigMap' };
    const validated = [{ expression: 'params.data.a == "b"', messageExpression: 'string(params.data.a)' }];
    assert.deepEqual(validating({ paramKind, validations: validated }), []);
    assert.equal(validating({ validations: validated }).length, 2);
  });
  it('checks audit annotations and match conditions', () => {
    const spec = {
      matchConditions: [{ name: 'c', expression: '"x"' }],
      auditAnnotations: [
        { key: 'k', valueExpression: 'timestamp("2001-02-03T04:05:06Z")' },
        { key: 'n', valueExpression: 'null' },
      ],
    };
    assert.deepEqual(validating(spec), [
      String.raw`spec.matchConditions[0].expression: Invalid value: "\"x\"": must evaluate to bool but got string`,
      String.raw`spec.auditAnnotations[0].valueExpression: Invalid value: "timestamp(\"2001-02-03T04:05:06Z\")": must evaluate to one of [string null_type] but got google.protobuf.Timestamp`,
    ]);
  });
  it('checks what a mutation builds', () => {
    const patch = '[JSONPatch{op: "add", path: "/metadata/labels/a", value: "b"}]';
    assert.deepEqual(mutating({ patchType: 'JSONPatch', jsonPatch: { expression: patch } }), []);
    const configuration = 'Object{spec: Object.spec{replicas: 1}}';
    assert.deepEqual(
      mutating({ patchType: 'ApplyConfiguration', applyConfiguration: { expression: configuration } }),
      [],
    );
    assert.deepEqual(mutating({ patchType: 'JSONPatch', jsonPatch: { expression: '1' } }), [
      'spec.mutations[0].jsonPatch.expression: Invalid value: "1": must evaluate to list(JSONPatch) but got int',
    ]);
    assert.deepEqual(mutating({ patchType: 'ApplyConfiguration', applyConfiguration: { expression: '1' } }), [
      'spec.mutations[0].applyConfiguration.expression: Invalid value: "1": must evaluate to Object but got int',
    ]);
  });
});
