import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { RestClient, SharedInformers, httpTransport, loadKubeconfig, objectKey } from '@apichain/client';
import { startChain, type TestChain } from '@apichain/testing';
import { type RunningScheduler, runScheduler, startScheduler } from '@apichain/scheduler';
import type { ScenarioResult } from './scenario.ts';
import { scenarios } from './scenarios.ts';
import { type Arrival, Stage } from './stage.ts';

/** What becomes of the pods with kube-scheduler 1.36: tools/compatibility/scheduling.ts writes it. */
const recorded = JSON.parse(readFileSync(new URL('recorded.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, ScenarioResult>
>;

/** What the scheduler does not follow. */
const unseen = new Set(['serviceaccounts', 'priorityclasses', 'deviceclasses']);

/** Waits until the informers have an object, in this revision or a later one. */
const arrivalIn =
  (informers: SharedInformers): Arrival =>
  async ({ group, version, resource }, object) => {
    if (unseen.has(resource)) return;
    const informer = informers.informer({ group, version, resource });
    const isThere = () =>
      BigInt(informer.get(objectKey(object))?.metadata.resourceVersion ?? 0) >=
      BigInt(object.metadata.resourceVersion ?? 0);
    while (!isThere()) await sleep(1);
  };

describe('the scheduler', () => {
  let chain: TestChain;
  let client: RestClient;

  before(async () => {
    chain = await startChain({ flags: ['--disable-admission-plugins=TaintNodesByCondition'] });
    client = new RestClient(httpTransport({ ...loadKubeconfig(chain.kubeconfigFile), connections: 200 }));
  });

  after(async () => {
    await client.close();
    await chain.stop();
  });

  /** A scheduler, and a stage on which it can be seen. */
  class Performance implements AsyncDisposable {
    readonly stage: Stage;
    readonly #stop = new AbortController();
    readonly #informers: SharedInformers;
    readonly #running: RunningScheduler;

    private constructor(namespace: string, informers: SharedInformers) {
      this.#informers = informers;
      this.stage = new Stage(client, namespace, arrivalIn(informers));
      this.#running = startScheduler({ client, signal: this.#stop.signal, informers });
    }

    static async start(namespace: string): Promise<Performance> {
      const performance = new Performance(namespace, new SharedInformers({ client }));
      await performance.#running.synced;
      await performance.stage.open();
      return performance;
    }

    /** Stops the scheduler; what it has done stays. */
    async stop(): Promise<void> {
      this.#stop.abort();
      await this.#running.stopped;
      await this.#informers.stop();
    }

    async [Symbol.asyncDispose](): Promise<void> {
      await this.stop();
      await this.stage.close();
    }
  }

  it('has a record of every scenario', () => {
    assert.deepEqual(
      Object.keys(recorded),
      scenarios.map(({ name }) => name),
    );
  });

  for (const [index, scenario] of scenarios.entries()) {
    const { name } = scenario;
    it(`does as kube-scheduler: ${name}`, async () => {
      await using performance = await Performance.start(`scenario-${index}`);
      assert.deepEqual(await scenario.run(performance.stage), recorded[name]);
    });
  }

  it('continues after a restart in the middle', async () => {
    const first = await Performance.start('restart');
    const { stage } = first;
    await stage.node('n1', { cpu: '1' });
    await stage.pod('victim', { requests: { cpu: '1' }, spec: { terminationGracePeriodSeconds: 60 } });
    await stage.bound('victim');
    await stage.create('scheduling.k8s.io', 'priorityclasses', {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name: 'high' },
      value: 1000,
    });
    await stage.pod('subject', { requests: { cpu: '1' }, spec: { priorityClassName: 'high' } });
    await stage.nominated('subject');
    await stage.recorded('victim', /Preempted/);
    await first.stop();
    await using second = await Performance.start('restarted');
    await second.stage.pod('other', { requests: { cpu: '1' } });
    await second.stage.rejected('other');
    await stage.remove('', 'pods', 'victim');
    await stage.bound('subject');
    assert.equal((await second.stage.result('other')).node, '');
    await stage.close();
  });

  it('yields to the one that acquires the lease', async () => {
    const stage = new Stage(client, 'hand-over', async () => undefined);
    await stage.open();
    await stage.node('n1');
    const start = (identity: string) => {
      const stop = new AbortController();
      const leading = Promise.withResolvers<void>();
      const options = { client, identity, retryPeriodMs: 20, onLeading: leading.resolve };
      return { stop, leading: leading.promise, ended: runScheduler({ ...options, signal: stop.signal }) };
    };
    const first = start('first');
    await first.leading;
    const second = start('second');
    await stage.pod('p1');
    await stage.bound('p1');
    first.stop.abort();
    assert.equal(await first.ended, 'stopped');
    await second.leading;
    await stage.pod('p2');
    await stage.bound('p2');
    second.stop.abort();
    assert.equal(await second.ended, 'stopped');
    await stage.close();
  });

  it('places many pods, and each node gets its share', async () => {
    await using performance = await Performance.start('many');
    const { stage } = performance;
    for (const name of ['n1', 'n2', 'n3']) await stage.node(name, { cpu: '100', memory: '100Gi' });
    const names = Array.from({ length: 60 }, (_, index) => `p${index}`);
    await Promise.all(names.map((name) => stage.pod(name, { requests: { cpu: '1', memory: '1Gi' } })));
    await Promise.all(names.map((name) => stage.bound(name)));
    const results = await Promise.all(names.map((name) => stage.result(name)));
    const counts = Map.groupBy(results, ({ node }) => node);
    assert.deepEqual(
      [...counts.values()].map(({ length }) => length),
      [20, 20, 20],
    );
  });
});
