import { selector, condition, clusterScoped, type SampleKind } from './sample-kind.ts';

/** The policies and webhooks of the samples match a group that does not exist. */
const nothing = { apiGroups: ['nothing.{{run}}.example.com'], apiVersions: ['v1'], resources: ['things'] };
const matchConstraints = { resourceRules: [{ ...nothing, operations: ['CREATE'] }] };
const webhook = {
  name: 'sample.example.com',
  clientConfig: { url: 'https://127.0.0.1:1/none' },
  rules: [{ ...nothing, operations: ['CREATE'] }],
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
};

/** Kinds of admission control. */
export const admission: readonly SampleKind[] = [
  clusterScoped(
    'admissionregistration.k8s.io/v1',
    'MutatingAdmissionPolicy',
    'mutatingadmissionpolicies',
    {
      spec: {
        matchConstraints,
        reinvocationPolicy: 'Never',
        mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{}' } }],
      },
    },
    {
      invalid: {
        spec: {
          matchConstraints,
          reinvocationPolicy: 'Never',
          mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: '[' } }],
        },
      },
    },
  ),
  clusterScoped(
    'admissionregistration.k8s.io/v1',
    'MutatingAdmissionPolicyBinding',
    'mutatingadmissionpolicybindings',
    { spec: { policyName: 'none.example.com' } },
    {
      invalid: { spec: { policyName: '' } },
    },
  ),
  clusterScoped(
    'admissionregistration.k8s.io/v1',
    'MutatingWebhookConfiguration',
    'mutatingwebhookconfigurations',
    {},
    {
      rich: {
        webhooks: [
          webhook,
          {
            ...webhook,
            name: 'second.example.com',
            reinvocationPolicy: 'IfNeeded',
            timeoutSeconds: 3,
            failurePolicy: 'Ignore',
            matchConditions: [{ name: 'c', expression: 'true' }],
          },
        ],
      },
      invalid: { webhooks: [{ ...webhook, sideEffects: 'Some', admissionReviewVersions: [] }] },
      change: { webhooks: [{ ...webhook, matchPolicy: 'Exact' }] },
    },
  ),
  clusterScoped(
    'admissionregistration.k8s.io/v1',
    'ValidatingAdmissionPolicy',
    'validatingadmissionpolicies',
    { spec: { matchConstraints, validations: [{ expression: 'true' }] } },
    {
      rich: {
        spec: {
          failurePolicy: 'Ignore',
          matchConstraints: { ...matchConstraints, namespaceSelector: selector },
          variables: [{ name: 'v', expression: '1 + 1' }],
          validations: [
            { expression: 'variables.v == 2', messageExpression: "'is ' + string(variables.v)", reason: 'Invalid' },
          ],
          auditAnnotations: [{ key: 'k', valueExpression: "'v'" }],
          matchConditions: [{ name: 'm', expression: 'has(request.namespace)' }],
        },
      },
      invalid: { spec: { matchConstraints, validations: [{ expression: 'object.' }, { expression: '1' }] } },
      status: { conditions: [condition('Sample')] },
    },
  ),
  clusterScoped(
    'admissionregistration.k8s.io/v1',
    'ValidatingAdmissionPolicyBinding',
    'validatingadmissionpolicybindings',
    { spec: { policyName: 'none.example.com', validationActions: ['Deny'] } },
    {
      invalid: { spec: { policyName: 'p', validationActions: ['Deny', 'Warn'] } },
      change: { spec: { validationActions: ['Audit'] } },
    },
  ),
  clusterScoped(
    'admissionregistration.k8s.io/v1',
    'ValidatingWebhookConfiguration',
    'validatingwebhookconfigurations',
    {},
    {
      rich: { webhooks: [webhook] },
      invalid: { webhooks: [{ ...webhook, clientConfig: { url: 'http://plain' }, timeoutSeconds: 60 }] },
      change: { webhooks: [{ ...webhook, failurePolicy: 'Ignore' }] },
    },
  ),
];
