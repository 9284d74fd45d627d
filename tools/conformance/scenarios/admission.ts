import type { Scenario, Step } from '../scenario.ts';
import { apply, configMap, configMaps, get, patch, post, put, received, remove } from './steps.ts';

const registration = '/apis/admissionregistration.k8s.io/v1';
const here = { matchLabels: { 'kubernetes.io/metadata.name': '{{ns}}' } };
const rules = (resource: string, ...operations: string[]) => [
  { operations, apiGroups: [''], apiVersions: ['v1'], resources: [resource] },
];
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
/** Writes until admission knows what was registered. */
const until = (
  name: string,
  body: unknown,
  reached: Step['until'],
  query: Record<string, string> = { dryRun: 'All' },
): Step => ({
  ...post(name, configMaps, body, { query }),
  ...(reached === undefined ? {} : { until: reached }),
});

const webhooks = (what: 'validating' | 'mutating', hooks: readonly (readonly [string, object])[]): Step =>
  post('register', `${registration}/${what}webhookconfigurations`, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: what === 'validating' ? 'ValidatingWebhookConfiguration' : 'MutatingWebhookConfiguration',
    metadata: { name: `conformance-{{run}}-${what}-${hooks.map(([path]) => path).join('-')}` },
    webhooks: hooks.map(([path, more], index) => ({
      name: `${path}-${index}.example.com`,
      clientConfig: { url: `{{webhook}}/${path}`, caBundle: '{{webhookCa}}' },
      rules: rules('configmaps', 'CREATE', 'UPDATE', 'DELETE'),
      namespaceSelector: here,
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      timeoutSeconds: 5,
      ...more,
    })),
  });
const select = (label: string) => ({ objectSelector: { matchLabels: { for: label } } });
const labelled = (name: string, label: string) => configMap(name, {}, { labels: { for: label } });
const rejected = { status: 403 };

export const admissionScenarios: readonly Scenario[] = [
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
  {
    area: 'admission',
    name: 'validating webhooks',
    steps: [
      webhooks('validating', [
        ['deny', select('deny')],
        ['deny-plainly', select('deny-plainly')],
        ['deny-teapot', select('deny-teapot')],
        ['warn', select('warn')],
        ['allow', select('allow')],
        ['broken', select('broken')],
        ['broken', { ...select('broken-ignored'), failurePolicy: 'Ignore' }],
      ]),
      until('wait', labelled('a', 'deny'), rejected),
      post('refused', configMaps, labelled('a', 'deny')),
      received('what it received', 'deny'),
      post('refused without words', configMaps, labelled('a', 'deny-plainly')),
      post('refused with another code', configMaps, labelled('a', 'deny-teapot')),
      post('warned of', configMaps, labelled('warned', 'warn')),
      post('allowed', configMaps, labelled('allowed', 'allow')),
      received('what was allowed', 'allow'),
      patch('a patch', `${configMaps}/allowed`, { data: { k: 'v' } }, { query: { fieldManager: 'someone' } }),
      received('the patch as received', 'allow'),
      remove('a delete, dry run', `${configMaps}/allowed`, { query: { dryRun: 'All' } }),
      received('the delete as received', 'allow'),
      post('a webhook that fails', configMaps, labelled('broken', 'broken')),
      post('a webhook that fails and is ignored', configMaps, labelled('broken', 'broken-ignored')),
      patch('to what is refused', `${configMaps}/allowed`, { metadata: { labels: { for: 'deny' } } }),
      post('no business of webhooks', configMaps, configMap('free')),
    ],
  },
  {
    area: 'admission',
    name: 'mutating webhooks',
    steps: [
      webhooks('mutating', [
        [
          'label',
          { objectSelector: { matchExpressions: [{ key: 'for', operator: 'In', values: ['label', 'both'] }] } },
        ],
        [
          'value',
          {
            objectSelector: { matchExpressions: [{ key: 'for', operator: 'In', values: ['value', 'both'] }] },
            reinvocationPolicy: 'IfNeeded',
          },
        ],
        ['bad-patch', select('bad-patch')],
        [
          'warn',
          {
            ...select('condition'),
            matchConditions: [{ name: 'only-some', expression: "object.metadata.name == 'some'" }],
          },
        ],
      ]),
      until('wait', { ...labelled('a', 'label') }, { path: 'metadata.labels.mutated', equals: 'yes' }),
      post('a label', configMaps, labelled('a', 'label')),
      received('what it received', 'label'),
      post('a value', configMaps, labelled('b', 'value')),
      post('a patch that cannot be', configMaps, labelled('c', 'bad-patch')),
      post('a condition that holds', configMaps, labelled('some', 'condition')),
      post('a condition that does not', configMaps, labelled('other', 'condition')),
      apply('apply', `${configMaps}/d`, 'one', labelled('d', 'value')),
      apply('apply once more', `${configMaps}/d`, 'one', labelled('d', 'value')),
      get('in the end', `${configMaps}/d`),
    ],
  },
  {
    area: 'admission',
    name: 'limits and quotas',
    steps: [
      post('limits', '/api/v1/namespaces/{{ns}}/limitranges', {
        apiVersion: 'v1',
        kind: 'LimitRange',
        metadata: { name: 'l' },
        spec: {
          limits: [
            {
              type: 'Container',
              max: { cpu: '2' },
              min: { memory: '16Mi' },
              default: { cpu: '1', memory: '64Mi' },
              defaultRequest: { cpu: '100m' },
            },
          ],
        },
      }),
      {
        ...post(
          'defaults',
          '/api/v1/namespaces/{{ns}}/pods',
          { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: { containers: [{ name: 'c', image: 'i' }] } },
          { query: { dryRun: 'All' } },
        ),
        until: { path: 'spec.containers.0.resources.limits.cpu', equals: '1' },
      },
      post('too much', '/api/v1/namespaces/{{ns}}/pods', {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'b' },
        spec: { containers: [{ name: 'c', image: 'i', resources: { limits: { cpu: '3', memory: '1Mi' } } }] },
      }),
      post('a quota', '/api/v1/namespaces/{{ns}}/resourcequotas', {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'q' },
        spec: { hard: { secrets: '1', 'requests.cpu': '1' } },
      }),
      patch('its status', '/api/v1/namespaces/{{ns}}/resourcequotas/q/status', {
        status: { hard: { secrets: '1', 'requests.cpu': '1' }, used: { secrets: '0', 'requests.cpu': '0' } },
      }),
      {
        ...post('within the quota', '/api/v1/namespaces/{{ns}}/secrets', {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: 'a' },
        }),
        until: { status: 201 },
      },
      {
        ...post('over the quota', '/api/v1/namespaces/{{ns}}/secrets', {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: 'b' },
        }),
        until: rejected,
      },
      post('a pod within the quota', '/api/v1/namespaces/{{ns}}/pods', {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'c' },
        spec: { containers: [{ name: 'c', image: 'i' }] },
      }),
      post('a pod over the quota', '/api/v1/namespaces/{{ns}}/pods', {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'd' },
        spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '950m' } } }] },
      }),
      get('what is used', '/api/v1/namespaces/{{ns}}/resourcequotas/q', {
        select: (body) => (body as { status?: unknown }).status,
      }),
    ],
  },
  {
    area: 'admission',
    name: 'pod security and priority',
    steps: [
      patch('enforce', '/api/v1/namespaces/{{ns}}', {
        metadata: {
          labels: { 'pod-security.kubernetes.io/enforce': 'baseline', 'pod-security.kubernetes.io/warn': 'restricted' },
        },
      }),
      {
        ...post(
          'privileged',
          '/api/v1/namespaces/{{ns}}/pods',
          {
            apiVersion: 'v1',
            kind: 'Pod',
            metadata: { name: 'p' },
            spec: {
              hostNetwork: true,
              containers: [
                {
                  name: 'c',
                  image: 'i',
                  securityContext: { privileged: true },
                  ports: [{ containerPort: 80, hostPort: 80 }],
                },
              ],
            },
          },
          { query: { dryRun: 'All' } },
        ),
        until: rejected,
      },
      post('baseline', '/api/v1/namespaces/{{ns}}/pods', {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'b' },
        spec: { containers: [{ name: 'c', image: 'i' }] },
      }),
      post('a deployment of such', '/apis/apps/v1/namespaces/{{ns}}/deployments', {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'd' },
        spec: {
          replicas: 0,
          selector: { matchLabels: { a: 'b' } },
          template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
        },
      }),
      patch('an unknown level', '/api/v1/namespaces/{{ns}}', {
        metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'none' } },
      }),
      post('an unknown priority', '/api/v1/namespaces/{{ns}}/pods', {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'q' },
        spec: { priorityClassName: 'none', containers: [{ name: 'c', image: 'i' }] },
      }),
      post('a priority by number', '/api/v1/namespaces/{{ns}}/pods', {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'q' },
        spec: { priority: 5, containers: [{ name: 'c', image: 'i' }] },
      }),
      post('an unknown runtime class', '/api/v1/namespaces/{{ns}}/pods', {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'q' },
        spec: { runtimeClassName: 'none', containers: [{ name: 'c', image: 'i' }] },
      }),
    ],
  },
];
