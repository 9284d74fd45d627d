import assert from 'node:assert/strict';
import { call } from '../call.fixture.ts';
import { startChain } from '../start-chain.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';
const configuration = (kind: string, name: string, path: string) => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind,
  metadata: { name },
  webhooks: [
    {
      name: `${name}.example.com`,
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
      clientConfig: { service: { namespace: 'system', name: 'webhooks', path } },
    },
  ],
});

describe('webhooks of a chain', () => {
  it('are active from start-up on', async () => {
    await using chain = await startChain({
      webhooks: {
        configurations: [
          configuration('MutatingWebhookConfiguration', 'labels', '/label'),
          configuration('ValidatingWebhookConfiguration', 'names', '/names'),
        ],
        handlers: {
          '/label': () => ({
            allowed: true,
            patch: [{ op: 'add', path: '/metadata/labels', value: { by: 'webhook' } }],
          }),
          '/names': ({ request }) => ({ allowed: request.object?.metadata.name !== 'bad', warnings: ['looked at'] }),
          '/never': () => false,
        },
      },
    });
    const create = (name: string) =>
      call(chain, configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
    const good = await create('good');
    assert.equal(good.status, 201);
    assert.deepEqual((good.json['metadata'] as { labels: object }).labels, { by: 'webhook' });
    assert.match(String(good.headers['warning']), /looked at/);
    const bad = await create('bad');
    assert.match(String(bad.json['message']), /^admission webhook "names.example.com" denied the request/);
    const [first] = chain.webhooks.calls;
    assert.equal(first?.path, '/label');
    assert.deepEqual(
      chain.webhooks.calls.map(({ path, review }) => [path, (review.request as { name?: string }).name]),
      [
        ['/label', 'good'],
        ['/names', 'good'],
        ['/label', 'bad'],
        ['/names', 'bad'],
      ],
    );

    await chain.apply(configuration('ValidatingWebhookConfiguration', 'never', '/never'));
    chain.webhooks.clearCalls();
    assert.equal((await create('later')).status, 400);
    assert.ok(chain.webhooks.calls.some(({ path }) => path === '/never'));
  });

  it('convert custom resources', async () => {
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    await using chain = await startChain({
      crds: [
        {
          apiVersion: 'apiextensions.k8s.io/v1',
          kind: 'CustomResourceDefinition',
          metadata: { name: 'things.example.com' },
          spec: {
            group: 'example.com',
            scope: 'Cluster',
            names: { plural: 'things', kind: 'Thing' },
            versions: ['v1', 'v2'].map((name) => ({ name, served: true, storage: name === 'v1', schema })),
            conversion: {
              strategy: 'Webhook',
              webhook: {
                conversionReviewVersions: ['v1'],
                clientConfig: { service: { namespace: 'system', name: 'webhooks' } },
              },
            },
          },
        },
      ],
      webhooks: {
        converters: {
          '/convert': ({ request: { desiredAPIVersion, objects } }) =>
            objects.map((object) => ({ ...object, apiVersion: desiredAPIVersion, converted: desiredAPIVersion })),
        },
      },
    });
    const thing = { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'one' } };
    assert.equal((await call(chain, '/apis/example.com/v1/things', thing)).status, 201);
    const { status, json } = await call(chain, '/apis/example.com/v2/things/one');
    assert.equal(status, 200, JSON.stringify(json));
    assert.deepEqual([json['apiVersion'], json['converted']], ['example.com/v2', 'example.com/v2']);
    assert.ok(chain.webhooks.calls.every(({ path }) => path === '/convert'));
  });

  it('are disabled by default', async () => {
    await using chain = await startChain();
    assert.throws(() => chain.webhooks, /start it with `webhooks`/);
  });
});
