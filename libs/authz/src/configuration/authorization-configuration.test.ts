import assert from 'node:assert/strict';
import { parseAuthorizationConfiguration } from './authorization-configuration.ts';
import { checkAuthorizationConfiguration } from './configuration-validation.ts';

const head = 'apiVersion: apiserver.config.k8s.io/v1\nkind: AuthorizationConfiguration\n';
const parse = (text: string) => parseAuthorizationConfiguration(`${head}${text}`);
const refused = (text: string, message: string, expected?: ReadonlySet<string>) =>
  assert.throws(() => checkAuthorizationConfiguration(parse(text), expected), { message });
const hook = (name: string, more: string) =>
  `{type: Webhook, name: ${name}, webhook: {timeout: 3s, subjectAccessReviewVersion: v1, failurePolicy: Deny, ${more}}}`;

describe('an AuthorizationConfiguration', () => {
  it('is read with its defaults, strictly', () => {
    const [webhook, rbac] = parse(
      `authorizers: [${hook('w', 'connectionInfo: {type: x}')}, {type: RBAC, name: rbac}]`,
    ).authorizers;
    assert.deepEqual(rbac, { type: 'RBAC', name: 'rbac' });
    assert.equal(webhook?.webhook?.authorizedTTL, 300_000);
    assert.equal(webhook?.webhook?.unauthorizedTTL, 30_000);
    assert.equal(webhook?.webhook?.cacheAuthorizedRequests, true);
    assert.throws(() => parse('foo: 1\nauthorizers:\n- type: RBAC\n  type: Node\n  bar: 1\n'), {
      message:
        'strict decoding error: yaml: unmarshal errors:\n  line 6: key "type" already set in map, unknown field "authorizers[0].bar", unknown field "foo"',
    });
    assert.throws(() => parse('authorizers: x'), {
      message:
        'json: cannot unmarshal string into Go struct field AuthorizationConfiguration.authorizers of type []v1.AuthorizerConfiguration',
    });
  });

  it('is refused with the messages of kube-apiserver', () => {
    refused('', 'authorizers: Required value: at least one authorization mode must be defined');
    refused(
      'authorizers: [{type: Webhook, name: a, webhook: {}}, {type: RBAC, name: x}, {type: RBAC, name: rbac}, {type: Foo, name: f}]',
      '[authorizers[0].timeout: Required value, authorizers[0].subjectAccessReviewVersion: Required value, authorizers[0].failurePolicy: Required value, authorizers[0].connectionInfo.type: Required value, authorizers[2].type: Duplicate value: "RBAC", authorizers[3].type: Unsupported value: "Foo": supported values: "ABAC", "AlwaysAllow", "AlwaysDeny", "Node", "RBAC", "Webhook"]',
    );
    refused(
      `authorizers: [${hook('a', 'connectionInfo: {type: KubeConfigFile, kubeConfigFile: rel}')}, ${hook('a', 'connectionInfo: {type: Other}, matchConditions: [{expression: ""}, {expression: request.user}, {expression: request.user}]')}]`,
      '[authorizers[0].connectionInfo.kubeConfigFile: Invalid value: "rel": must be an absolute path, authorizers[1].name: Duplicate value: "a", authorizers[1].matchConditionSubjectAccessReviewVersion: Required value: required if match conditions are specified, authorizers[1].connectionInfo.type: Unsupported value: {"Type":"Other","KubeConfigFile":null}: supported values: "InClusterConfig", "KubeConfigFile", authorizers[1].matchConditions[0].expression: Required value, authorizers[1].matchConditions[1].expression: Invalid value: "request.user": must evaluate to bool but got string, authorizers[1].matchConditions[2].expression: Duplicate value: "request.user"]',
    );
    refused(
      'authorizers: [{type: RBAC, name: r}, {type: Node, name: x}]',
      '[expected name rbac for authorizer RBAC instead of r, expected name node for authorizer Node instead of x]',
    );
    refused(
      'authorizers: [{type: RBAC, name: rbac}]',
      'missing required types: [ABAC Node]',
      new Set(['RBAC', 'Node', 'ABAC']),
    );
  });
});
