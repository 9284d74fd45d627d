import type { Scenario, Step } from '../scenario.ts';
import { here, registration, rejected, rules, until } from './admission-steps.ts';
import { apply, configMap, configMaps, get, patch, post, put, remove } from './steps.ts';

const onConfigMaps = (...operations: string[]) => ({
  namespaceSelector: here,
  resourceRules: rules('configmaps', ...operations),
});
const nameOf = (what: string) => `conformance-{{run}}-${what}.example.com`;

const policy = (what: string, spec: object): Step =>
  post('a policy', `${registration}/validatingadmissionpolicies`, {
    ...{
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name: nameOf(what) },
      spec,
    },
  });
const binding = (what: string, spec: object = { validationActions: ['Deny'] }): Step =>
  post('its binding', `${registration}/validatingadmissionpolicybindings`, {
    ...{
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name: nameOf(what) },
    },
    spec: { policyName: nameOf(what), ...spec },
  });
const mutation = (what: string, mutations: readonly object[], more: object = {}): Step[] => [
  post('a policy', `${registration}/mutatingadmissionpolicies`, {
    ...{
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingAdmissionPolicy',
      metadata: { name: nameOf(what) },
    },
    spec: { matchConstraints: onConfigMaps('CREATE', 'UPDATE'), reinvocationPolicy: 'Never', mutations, ...more },
  }),
  post('its binding', `${registration}/mutatingadmissionpolicybindings`, {
    ...{
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingAdmissionPolicyBinding',
      metadata: { name: nameOf(what) },
    },
    spec: { policyName: nameOf(what) },
  }),
];

/** ValidatingAdmissionPolicies and MutatingAdmissionPolicies. */
export const admissionPolicyScenarios: readonly Scenario[] = [
  {
    area: 'admission',
    name: 'a validating policy',
    steps: [
      policy('validate', {
        matchConstraints: onConfigMaps('CREATE', 'UPDATE', 'DELETE'),
        variables: [{ name: 'count', expression: 'object == null || !has(object.data) ? 0 : size(object.data)' }],
        matchConditions: [{ name: 'not-exempt', expression: "request.name != 'exempt'" }],
        validations: [
          {
            expression: 'variables.count < 3',
            messageExpression: "'has ' + string(variables.count) + ' entries'",
            reason: 'Invalid',
          },
          {
            expression: "request.operation != 'DELETE' || oldObject.metadata.name != 'kept'",
            message: 'is to be kept',
          },
          {
            expression:
              "object == null || !('broken' in object.metadata.?labels.orValue({})) || object.data.none == ''",
          },
        ],
      }),
      binding('validate'),
      until('wait', configMap('a', { a: '', b: '', c: '' }), { status: 422 }),
      post('allowed', configMaps, configMap('a', { a: '' })),
      post('refused', configMaps, configMap('b', { a: '', b: '', c: '' })),
      post('exempt', configMaps, configMap('exempt', { a: '', b: '', c: '' })),
      post('an expression that fails', configMaps, configMap('b', {}, { labels: { broken: '' } })),
      put('an update that is refused', `${configMaps}/a`, configMap('a', { a: '', b: '', c: '' })),
      patch('a patch that is refused', `${configMaps}/a`, { data: { b: '', c: '' } }),
      apply('an apply that is refused', `${configMaps}/z`, 'one', configMap('z', { a: '', b: '', c: '' })),
      post('create what is kept', configMaps, configMap('kept')),
      remove('a delete that is refused', `${configMaps}/kept`),
      remove('deletes of which one is refused', configMaps),
      patch('the policy is lifted', `${registration}/validatingadmissionpolicies/${nameOf('validate')}`, {
        spec: { validations: [{ expression: 'true' }] },
      }),
      { ...remove('a delete that is allowed', `${configMaps}/kept`), until: { status: 200 } },
    ],
  },
  {
    area: 'admission',
    name: 'a policy that warns',
    steps: [
      policy('warn', {
        matchConstraints: onConfigMaps('CREATE'),
        validations: [{ expression: 'has(object.data)', message: 'has no data' }],
      }),
      binding('warn', { validationActions: ['Warn', 'Audit'] }),
      post('a policy for refusals', `${registration}/validatingadmissionpolicies`, {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingAdmissionPolicy',
        metadata: { name: nameOf('warn-deny') },
        spec: {
          matchConstraints: onConfigMaps('CREATE'),
          validations: [{ expression: "object.metadata.name != 'never'" }],
        },
      }),
      post('and its binding', `${registration}/validatingadmissionpolicybindings`, {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingAdmissionPolicyBinding',
        metadata: { name: nameOf('warn-deny') },
        spec: { policyName: nameOf('warn-deny'), validationActions: ['Deny'] },
      }),
      until('wait', configMap('never'), { status: 422 }),
      post('warned of', configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }),
      post('not warned of', configMaps, configMap('b', { a: '' })),
    ],
  },
  {
    area: 'admission',
    name: 'a policy with parameters',
    steps: [
      post('the parameters', configMaps, configMap('limits', { max: '2' })),
      policy('params', {
        matchConstraints: onConfigMaps('CREATE'),
        paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
        validations: [
          {
            expression: 'size(object.data) <= int(params.data.max)',
            messageExpression: "'at most ' + params.data.max",
          },
        ],
      }),
      binding('params', { validationActions: ['Deny'], paramRef: { name: 'limits', parameterNotFoundAction: 'Deny' } }),
      until('wait', configMap('a', { a: '', b: '', c: '' }), { status: 422 }),
      post('allowed', configMaps, configMap('a', { a: '' })),
      post('refused', configMaps, configMap('b', { a: '', b: '', c: '' })),
      patch('other parameters', `${configMaps}/limits`, { data: { max: '5' } }),
      until('wait for them', configMap('b', { a: '', b: '', c: '' }), { status: 201 }),
      remove('without parameters', `${configMaps}/limits`),
      until('wait for the refusal', configMap('c', { a: '' }), rejected),
    ],
  },
  {
    area: 'admission',
    name: 'a mutating policy',
    steps: [
      ...mutation('mutate', [
        {
          patchType: 'ApplyConfiguration',
          applyConfiguration: { expression: "Object{metadata: Object.metadata{labels: {'mutated': request.name}}}" },
        },
        {
          patchType: 'JSONPatch',
          jsonPatch: {
            expression: "has(object.data) ? [JSONPatch{op: 'add', path: '/data/by', value: 'policy'}] : []",
          },
        },
      ]),
      until('wait', configMap('a'), { path: 'metadata.labels.mutated', equals: 'a' }),
      post('create', configMaps, configMap('a', { k: 'v' })),
      post('create without data', configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b' } }),
      patch('patch', `${configMaps}/a`, { metadata: { labels: { mutated: null } } }),
      apply('apply', `${configMaps}/c`, 'one', configMap('c', { k: 'v' })),
      get('in the end', `${configMaps}/c`),
    ],
  },
];
