import assert from 'node:assert/strict';
import {
  ApiextensionsV1Api,
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  makeInformer,
  type KubernetesListObject,
  type KubernetesObject,
} from '@kubernetes/client-node';
import { type Chain, startChain, waitFor } from './chain.ts';
import { definitionOf } from './definitions.ts';

describe('@kubernetes/client-node', () => {
  let chain: Chain;
  let config: KubeConfig;
  before(async () => {
    chain = await startChain();
    config = new KubeConfig();
    config.loadFromFile(chain.kubeconfig);
  });
  after(() => chain?.stop());

  it('creates, lists and watches built-in objects', async () => {
    const api = config.makeApiClient(CoreV1Api);
    const informer = makeInformer(config, '/api/v1/namespaces/default/configmaps', () =>
      api.listNamespacedConfigMap({ namespace: 'default' }),
    );
    const events: string[] = [];
    for (const verb of ['add', 'update', 'delete'] as const)
      informer.on(verb, (object) => events.push(`${verb} ${object.metadata?.name ?? ''}`));
    await informer.start();
    await api.createNamespacedConfigMap({
      namespace: 'default',
      body: { metadata: { name: 'one' }, data: { a: '1' } },
    });
    await api.patchNamespacedConfigMap({
      namespace: 'default',
      name: 'one',
      body: [{ op: 'replace', path: '/data/a', value: '2' }],
    });
    const list = await api.listNamespacedConfigMap({ namespace: 'default' });
    assert.equal(list.items.find((item) => item.metadata?.name === 'one')?.data?.['a'], '2');
    await api.deleteNamespacedConfigMap({ namespace: 'default', name: 'one' });
    const mine = () => events.filter((event) => event.endsWith(' one'));
    await waitFor(
      () => mine().length === 3,
      10_000,
      () => events.join(),
    );
    assert.deepEqual(mine(), ['add one', 'update one', 'delete one']);
    await informer.stop();
  });

  it('creates, lists and watches custom objects', async () => {
    const definitions = config.makeApiClient(ApiextensionsV1Api);
    await definitions.createCustomResourceDefinition({
      body: definitionOf('example.com', 'Widget', {
        schema: {
          type: 'object',
          properties: { spec: { type: 'object', properties: { size: { type: 'integer', minimum: 1 } } } },
        },
      }),
    });
    const objects = config.makeApiClient(CustomObjectsApi);
    const where = { group: 'example.com', version: 'v1', namespace: 'default', plural: 'widgets' };
    const list = async () =>
      (await objects.listNamespacedCustomObject(where)) as KubernetesListObject<KubernetesObject>;
    await waitFor(
      () =>
        list().then(
          () => true,
          () => false,
        ),
      10_000,
      () => 'the custom resource is not served',
    );
    const informer = makeInformer(config, '/apis/example.com/v1/namespaces/default/widgets', list);
    const seen: string[] = [];
    informer.on('add', (object) => seen.push(object.metadata?.name ?? ''));
    await informer.start();
    const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' }, spec: { size: 3 } };
    await objects.createNamespacedCustomObject({ ...where, body: widget });
    await waitFor(
      () => seen.includes('w'),
      10_000,
      () => 'the informer did not hear of the widget',
    );
    await assert.rejects(
      objects.createNamespacedCustomObject({
        ...where,
        body: { ...widget, metadata: { name: 'x' }, spec: { size: 0 } },
      }),
      /spec\.size/,
    );
    assert.equal((await list()).items.length, 1);
    await informer.stop();
  });
});
