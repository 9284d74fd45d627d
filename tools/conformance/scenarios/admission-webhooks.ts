import type { Scenario, Step } from '../scenario.ts';
import { here, registration, rejected, rules, until } from './admission-steps.ts';
import { apply, configMap, configMaps, get, patch, post, received, remove } from './steps.ts';

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

/** Validating and mutating webhooks. */
export const admissionWebhookScenarios: readonly Scenario[] = [
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
];
