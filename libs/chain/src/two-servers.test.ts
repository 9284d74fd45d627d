import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { Informer, objectKey, RestClient, type ResourceReference, type Transport } from '@apichain/client';
import type { KubeObject } from '@apichain/meta';
import { until } from '@apichain/meta/until.fixture';
import { TestChains } from './chain.fixture.ts';

const services: ResourceReference = { group: '', version: 'v1', resource: 'services', namespace: 'default' };
const configMaps: ResourceReference = { group: '', version: 'v1', resource: 'configmaps', namespace: 'default' };
const count = 60;
const flags = ['--service-cluster-ip-range=10.0.0.0/24', '--disable-admission-plugins=ServiceAccount'];

interface Service extends KubeObject {
  readonly spec: {
    readonly clusterIPs?: readonly string[];
    readonly ports?: readonly { readonly nodePort?: number }[];
  };
}

const configMap = (name: string, data: Readonly<Record<string, string>> = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, labels: { of: 'two-servers' } },
  data,
});

describe('two servers of one etcd', () => {
  const chains = new TestChains();

  /** Two chains, one of which stores as kube-apiserver does by default. `stopFirst` stops the first one early. */
  async function withBoth(
    work: (clients: readonly [RestClient, RestClient], transports: readonly [Transport, Transport]) => Promise<void>,
  ): Promise<void> {
    await chains.run([...flags, '--advertise-address=192.0.2.1'], (one) =>
      chains.run(
        [...flags, '--advertise-address=192.0.2.2', '--storage-media-type=application/vnd.kubernetes.protobuf'],
        async (other) => {
          const transports = [one.connect('one'), other.connect('other')] as const;
          await work([new RestClient(transports[0]), new RestClient(transports[1])], transports);
          for (const transport of transports) await transport.close();
        },
      ),
    );
  }

  it('give no address and no node port twice, and release what the other one gave', async () => {
    await withBoth(async (clients) => {
      const clientOf = (index: number) => clients[index % 2] ?? clients[0];
      const create = (shift: number) =>
        Promise.all(
          Array.from({ length: count }, (_, index) =>
            clientOf(index + shift).create(services, {
              ...{ apiVersion: 'v1', kind: 'Service', metadata: { name: `s${index}` } },
              spec: { type: 'NodePort', ports: [{ port: 80 }] },
            }),
          ),
        );
      for (const shift of [0, 1]) {
        const created = (await create(shift)) as Service[];
        const addresses = created.flatMap(({ spec }) => spec.clusterIPs ?? []);
        const ports = created.flatMap(({ spec }) => (spec.ports ?? []).map(({ nodePort }) => nodePort));
        assert.equal(new Set(addresses).size, count);
        assert.equal(new Set(ports).size, count);
        await Promise.all(
          created.map(({ metadata }, index) => clientOf(index + 1 - shift).delete(services, metadata.name ?? '')),
        );
      }
      // 254 addresses of the range: the kubernetes Service has one, and all others can be given again.
      assert.equal((await create(0)).length, count);
    });
  });

  it('send the same events to watches, whoever writes, and informers go on at the other server', async () => {
    await withBoth(async (clients, transports) => {
      const informerOf = (send: Transport['send']) => {
        const events: string[] = [];
        const note = (object: KubeObject) => events.push(`${objectKey(object)} ${object.metadata.resourceVersion}`);
        const client = new RestClient({ send, close: () => Promise.resolve() });
        const informer = new Informer({ client, resource: configMaps, labelSelector: 'of=two-servers' });
        return { events, informer: informer.addHandlers({ onAdd: note, onUpdate: note, onDelete: note }).start() };
      };
      let current: 0 | 1 = 0;
      const ended = new AbortController();
      const moving = informerOf((request) =>
        transports[current].send(current === 1 ? request : { ...request, signal: ended.signal }),
      );
      const steady = [
        informerOf((request) => transports[0].send(request)),
        informerOf((request) => transports[1].send(request)),
      ];
      const all = [moving, ...steady];
      await Promise.all(all.map(({ informer }) => informer.waitForSync()));
      let calls = 0;
      const next = () => clients[calls++ % 2 === 0 ? 0 : 1];
      for (let index = 0; index < count; index++) {
        await next().create(configMaps, configMap(`c${index}`));
        await next().patch(configMaps, `c${index}`, 'merge', { data: { a: 'b' } });
        await next().delete(configMaps, `c${index}`);
        if (index === count / 2) {
          current = 1;
          ended.abort();
        }
      }
      await until(() => steady.every(({ events }) => events.length === 3 * count));
      assert.deepEqual(steady[0]?.events, steady[1]?.events);
      await until(() => moving.informer.list().length === 0 && moving.events.at(-1) === steady[0]?.events.at(-1));
      assert.equal(new Set(moving.events).size, moving.events.length);
      for (const { informer } of all) await informer.stop();
    });
  });

  it('do not overwrite what the other has written', async () => {
    await withBoth(async () => {
      const revisions = () =>
        new Map([...chains.etcd.snapshot().keys.values()].map(({ key, modRevision }) => [key.toString(), modRevision]));
      await sleep(3_000);
      const before = revisions();
      await sleep(5_000);
      const changed = [...revisions()].filter(([key, revision]) => before.get(key) !== revision).map(([key]) => key);
      assert.deepEqual(
        changed.filter((key) => !/^\/registry\/(masterleases|leases\/kube-system)\//.test(key)),
        [],
      );
    });
  });
});
