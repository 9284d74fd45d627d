import assert from 'node:assert/strict';
import { call } from '../call.fixture.ts';
import { startChain } from '../index.ts';

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
  it('are in effect from the start', async function () {
    this.timeout(30_000);
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

  it('are not there unless asked for', async function () {
    this.timeout(30_000);
    await using chain = await startChain();
    assert.throws(() => chain.webhooks, /start it with `webhooks`/);
  });
});
