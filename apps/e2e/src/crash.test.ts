import assert from 'node:assert/strict';
import { type Chain, startChain, waitFor } from './chain.ts';
import { call } from './http.ts';
import { makeInformer, KubeConfig, CoreV1Api } from '@kubernetes/client-node';

const configMaps = '/api/v1/namespaces/default/configmaps';

const stores = { 'the embedded etcd': [], 'an etcd of the PATH': ['--embedded-etcd=false'] };

for (const [store, args] of Object.entries(stores))
  describe(`kill -9 of each part, on ${store}`, () => {
    let chain: Chain;
    before(async () => {
      chain = await startChain({ args });
    });
    after(() => chain?.stop());

    for (const part of ['aggregator', 'kube-core', 'apiextensions', 'etcd'])
      it(`survives the loss of ${part}`, async function () {
        this.timeout(480_000);
        const config = new KubeConfig();
        config.loadFromFile(chain.kubeconfig);
        const api = config.makeApiClient(CoreV1Api);
        const informer = makeInformer(config, configMaps, () => api.listNamespacedConfigMap({ namespace: 'default' }));
        const seen = new Set<string>();
        informer.on('add', (object) => seen.add(object.metadata?.name ?? ''));
        // The informer of the library stops on an error, which includes a failed start. Its user has to restart it.
        informer.on('error', () => setTimeout(() => void informer.start().catch(() => undefined), 100));
        await informer.start();
        const write = async (name: string) => {
          const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
          return (await call(chain, 'POST', configMaps, { body })).status;
        };
        assert.equal(await write(`${part}-before`), 201);
        await waitFor(
          () => seen.has(`${part}-before`),
          10_000,
          () => 'the informer did not hear of the first object',
        );

        const old = chain.pids()[part] ?? 0;
        process.kill(old, 'SIGKILL');
        await waitFor(
          () => (chain.pids()[part] ?? old) !== old,
          10_000,
          () => `${part} was not started again`,
        );
        await waitFor(
          async () => [201, 409].includes(await write(`${part}-after`).catch(() => 0)),
          20_000,
          () => `no write succeeded after ${part} died\n${chain.output()}`,
        );

        const { items } = (await call(chain, 'GET', configMaps)).json<{ items: { metadata: { name: string } }[] }>();
        const names = items.map((item) => item.metadata.name);
        assert.ok(names.includes(`${part}-before`) && names.includes(`${part}-after`), names.join());
        await waitFor(
          () => seen.has(`${part}-after`),
          20_000,
          () => `the watch did not resume after ${part} died`,
        );
        await informer.stop();
      });
  });
