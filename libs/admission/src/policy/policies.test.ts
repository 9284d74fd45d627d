import assert from 'node:assert/strict';
import { alwaysAllow } from '@apichain/authz';
import { isStatusError, type KubeObject } from '@apichain/meta';
import { testAttributesOf, testLookup } from '../attributes.fixture.ts';
import { compileMutations, MutatingPolicies } from './mutating.ts';
import { PolicySource } from './source.ts';
import { compileValidations, ValidatingPolicies } from './validating.ts';

const registration = 'admissionregistration.k8s.io/v1';
const configMaps = {
  resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
};
const policy = (kind: string, spec: Record<string, unknown>): KubeObject => ({
  apiVersion: registration,
  kind,
  metadata: { name: 'p' },
  spec: { matchConstraints: configMaps, ...spec },
});
const binding = (spec: Record<string, unknown> = {}): KubeObject => ({
  apiVersion: registration,
  kind: 'Binding',
  metadata: { name: 'b' },
  spec: { policyName: 'p', validationActions: ['Deny'], ...spec },
});
const configMap = (data: Record<string, string>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'c', namespace: 'ns' },
  data,
});
const namespace: KubeObject = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'ns', labels: { team: 'red' } },
};
const limits: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'limits' }, data: { max: '1' } };
const needed = {
  lookup: testLookup({ namespaces: [namespace] }),
  authorizer: alwaysAllow,
  params: (_apiVersion: string, kind: string) =>
    Promise.resolve(
      kind === 'ConfigMap'
        ? {
            namespaced: true,
            get: (_namespace: string, name: string) => Promise.resolve(name === 'limits' ? limits : undefined),
            list: () => Promise.resolve([limits]),
          }
        : undefined,
    ),
};
const create = (object: KubeObject, warn: (text: string) => void = () => undefined) =>
  testAttributesOf({ group: '', resource: 'configmaps' }, object, { warn });

describe('validating policies', () => {
  const validate = async (
    spec: Record<string, unknown>,
    bound: Record<string, unknown>,
    object: KubeObject,
    warn?: (text: string) => void,
  ) => {
    const source = new PolicySource(compileValidations);
    source.setPolicies([policy('ValidatingAdmissionPolicy', spec)]);
    source.setBindings([binding(bound)]);
    await new ValidatingPolicies(source, needed).validate(create(object, warn));
  };
  const refused =
    (message: string, code = 422) =>
    (error: unknown) => {
      assert.ok(isStatusError(error));
      assert.equal(error.code, code);
      assert.equal(
        error.message,
        `configmaps "c" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: ${message}`,
      );
      return true;
    };

  it('refuse with message, messageExpression and reason', async () => {
    const small = { validations: [{ expression: 'size(object.data) < 2', message: 'too much' }] };
    await validate(small, {}, configMap({ a: '1' }));
    await assert.rejects(validate(small, {}, configMap({ a: '1', b: '2' })), refused('too much'));
    const expressed = {
      variables: [{ name: 'n', expression: 'size(object.data)' }],
      validations: [
        { expression: 'variables.n < 2', messageExpression: "'has ' + string(variables.n)", reason: 'Forbidden' },
      ],
    };
    await assert.rejects(validate(expressed, {}, configMap({ a: '1', b: '2' })), refused('has 2', 403));
  });
  it('hold for webhook configurations, but not for policies and their bindings', async () => {
    const everything = [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*'] }];
    const source = new PolicySource(compileValidations);
    const spec = { matchConstraints: { resourceRules: everything }, validations: [{ expression: 'false' }] };
    source.setPolicies([policy('ValidatingAdmissionPolicy', spec)]);
    source.setBindings([binding()]);
    const validate = async (resource: string): Promise<void> => {
      const object: KubeObject = { apiVersion: registration, kind: 'X', metadata: { name: 'x' } };
      const attributes = testAttributesOf({ group: 'admissionregistration.k8s.io', resource }, object);
      await new ValidatingPolicies(source, needed).validate(attributes);
    };
    for (const resource of ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations'])
      await assert.rejects(validate(resource), /denied request/);
    for (const resource of ['validatingadmissionpolicies', 'mutatingadmissionpolicybindings']) await validate(resource);
  });

  it('see the request, the namespace, the authorizer and parameters', async () => {
    const spec = {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      validations: [
        { expression: "request.operation == 'CREATE' && request.userInfo.username == 'u'" },
        { expression: "namespaceObject.metadata.labels['team'] == 'red'" },
        { expression: "authorizer.requestResource.check('create').allowed()" },
        { expression: 'size(object.data) <= int(params.data.max)' },
      ],
    };
    const bound = { paramRef: { name: 'limits', parameterNotFoundAction: 'Deny' } };
    await validate(spec, bound, configMap({ a: '1' }));
    await assert.rejects(
      validate(spec, bound, configMap({ a: '1', b: '2' })),
      refused('failed expression: size(object.data) <= int(params.data.max)'),
    );
    await assert.rejects(
      validate(spec, { paramRef: { name: 'none', parameterNotFoundAction: 'Deny' } }, configMap({})),
      refused('failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction'),
    );
  });
  it('with an unknown paramKind refuse requests without a binding', async () => {
    const spec = { paramKind: { apiVersion: 'nope.io/v1', kind: 'Zap' }, validations: [{ expression: 'true' }] };
    await assert.rejects(validate(spec, {}, configMap({})), {
      message:
        `configmaps "c" is forbidden: ValidatingAdmissionPolicy 'p' denied request: ` +
        `failed to configure policy: failed to find resource referenced by paramKind: 'nope.io/v1, Kind=Zap'`,
    });
    await validate({ ...spec, failurePolicy: 'Ignore' }, {}, configMap({}));
  });
  it('fail closed or open when an expression cannot be evaluated', async () => {
    const spec = { validations: [{ expression: "object.data.missing == 'x'" }] };
    await assert.rejects(
      validate(spec, {}, configMap({ a: '1' })),
      refused("expression 'object.data.missing == 'x'' resulted in error: no such key: missing"),
    );
    await validate({ ...spec, failurePolicy: 'Ignore' }, {}, configMap({ a: '1' }));
  });
  it('only warn with the validation action Warn', async () => {
    const warnings: string[] = [];
    const spec = { validations: [{ expression: 'false', message: 'no' }] };
    await validate(spec, { validationActions: ['Warn'] }, configMap({}), (text) => warnings.push(text));
    assert.deepEqual(warnings, ["Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': no"]);
  });
});

describe('mutating policies', () => {
  const mutate = async (mutations: unknown[], object: KubeObject) => {
    const source = new PolicySource(compileMutations);
    source.setPolicies([policy('MutatingAdmissionPolicy', { mutations })]);
    source.setBindings([binding()]);
    await new MutatingPolicies(source, needed).admit(create(object));
    return object;
  };
  const apply = (expression: string) => [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression } }];
  const patch = (expression: string) => [{ patchType: 'JSONPatch', jsonPatch: { expression } }];

  it('merge configurations and apply patches', async () => {
    const labelled = await mutate(
      apply('Object{metadata: Object.metadata{labels: {"added": "yes"}}}'),
      configMap({ a: '1' }),
    );
    assert.deepEqual(labelled.metadata.labels, { added: 'yes' });
    const patched = await mutate(
      patch('[JSONPatch{op: "add", path: "/data/b", value: object.data.a + "!"}]'),
      configMap({ a: '1' }),
    );
    assert.deepEqual(patched.data, { a: '1', b: '1!' });
    const escaped = await mutate(
      patch('[JSONPatch{op: "add", path: "/data/" + jsonpatch.escapeKey("~/x"), value: "y"}]'),
      configMap({ a: '1' }),
    );
    assert.deepEqual(escaped.data, { a: '1', '~/x': 'y' });
  });
  it('report errors', async () => {
    await assert.rejects(
      mutate(patch('[JSONPatch{op: "remove", path: "/data/none"}]'), configMap({ a: '1' })),
      (error) =>
        isStatusError(error) &&
        error.code === 403 &&
        error.message ===
          "policy 'p' with binding 'b' denied request: JSON Patch: error in remove for path: '/data/none': Unable to remove nonexistent key: none: missing value",
    );
    await assert.rejects(
      mutate(apply('Object{metadata: Object.wrong{labels: {"a": "b"}}}'), configMap({})),
      /unexpected type name "Object.wrong", expected "Object.metadata"/,
    );
  });
});
