import assert from 'node:assert/strict';
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import type { Pod } from '@apichain/api/core/v1';
import { EventRecorder, RestClient, silentLogger, type Transport, type TransportRequest } from '@apichain/client';
import { withClock } from '@apichain/meta';
import { type TestPod, testNode, testPod } from './cluster/objects.fixture.ts';
import { Scheduler } from './scheduler.ts';
import { TestClock } from './test-clock.fixture.ts';

/** An API server that knows bindings, and returns an empty object for everything else. */
class Server implements Transport {
  readonly requests: { readonly line: string; readonly body: unknown }[] = [];
  /** The codes with which the next bindings are refused. */
  readonly refusals: number[] = [];
  /** Why the next refused binding is refused. */
  cause: string | undefined;
  /** Bindings wait while it is set. */
  gate: Promise<void> | undefined;
  /** Patches of statuses wait while it is set. */
  statusGate: Promise<void> | undefined;
  pendingBindings = 0;
  mostPendingBindings = 0;
  onBinding: (pod: string, node: string) => void = () => undefined;

  async send({ method, path, body }: TransportRequest): ReturnType<Transport['send']> {
    const content = body === undefined ? undefined : (JSON.parse(String(body)) as unknown);
    this.requests.push({ line: `${method} ${path}`, body: content });
    const pod = /\/pods\/([^/]+)\/binding$/.exec(path)?.[1];
    if (path.endsWith('/status')) await this.statusGate;
    if (pod === undefined) return response(200, {});
    this.mostPendingBindings = Math.max(this.mostPendingBindings, ++this.pendingBindings);
    await this.gate;
    this.pendingBindings--;
    const code = this.refusals.shift();
    if (code !== undefined)
      return response(code, {
        kind: 'Status',
        code,
        message: `refused with ${code}`,
        reason: 'Conflict',
        details: { causes: this.cause === undefined ? [] : [{ reason: this.cause }] },
      });
    this.onBinding(pod, (content as { target: { name: string } }).target.name);
    return response(201, {});
  }
  async close(): Promise<void> {}

  /** The notes of the events so far. */
  get events(): readonly string[] {
    return this.requests.flatMap(({ line, body }) =>
      line.startsWith('POST /apis/events.k8s.io') ? [String((body as { note: unknown }).note)] : [],
    );
  }
  /** The last patch of the status of a pod. */
  lastStatus(pod: string): unknown {
    return this.requests.findLast(({ line }) => line.endsWith(`/pods/${pod}/status`))?.body;
  }
}

function response(status: number, object: unknown): Awaited<ReturnType<Transport['send']>> {
  const bytes = Buffer.from(JSON.stringify(object));
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body: {
      async *[Symbol.asyncIterator]() {
        yield bytes;
      },
      async dump() {},
    },
  };
}

interface Play {
  readonly scheduler: Scheduler;
  readonly server: Server;
  readonly clock: TestClock;
  /** The nodes of the pods, as the server has them. */
  readonly nodes: ReadonlyMap<string, string>;
  /** What the scheduler has logged as errors. */
  readonly errors: readonly string[];
  readonly add: (name: string, pod?: TestPod) => Pod;
  readonly until: (condition: () => boolean) => Promise<void>;
}

/** Runs a test with a scheduler, a server and a clock. */
function playing(test: (play: Play) => Promise<void>): () => Promise<void> {
  return async () => {
    const clock = new TestClock();
    const server = new Server();
    const pods = new Map<string, Pod>();
    const nodes = new Map<string, string>();
    await withClock(clock, async () => {
      const client = new RestClient(server);
      const end = new AbortController();
      const { signal } = end;
      const recorder = new EventRecorder({ client, component: 'default-scheduler', api: 'events.k8s.io/v1', signal });
      const errors: string[] = [];
      const log = { ...silentLogger, error: (message: string) => errors.push(message) };
      const scheduler = new Scheduler({ client, recorder, log, schedulerName: 'default-scheduler' });
      server.onBinding = (name, node) => {
        const before = pods.get(name);
        assert.ok(before !== undefined);
        nodes.set(name, node);
        scheduler.updatePod(before, { ...before, spec: { ...before.spec, nodeName: node } });
      };
      const running = scheduler.run();
      await test({
        scheduler,
        server,
        clock,
        nodes,
        errors,
        add(name, pod) {
          const created = testPod(name, pod);
          pods.set(name, created);
          scheduler.addPod(created);
          return created;
        },
        async until(condition) {
          while (!condition()) await turnOfLoop();
        },
      });
      end.abort();
      scheduler.stop();
      await running;
    });
  };
}

const cpu = (amount: string): TestPod => ({ requests: { cpu: amount } });
const small = testNode('n1', { allocatable: { cpu: '1' } });

describe('Scheduler', () => {
  it(
    'binds a pod and says so',
    playing(async ({ scheduler, server, nodes, add, until }) => {
      scheduler.setNode(undefined, small);
      add('p1');
      await until(() => server.events.length === 1);
      assert.equal(nodes.get('p1'), 'n1');
      assert.deepEqual(server.events, ['Successfully assigned default/p1 to n1']);
      assert.deepEqual(server.requests[0]?.body, {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: 'p1', namespace: 'default', uid: 'p1' },
        target: { kind: 'Node', name: 'n1' },
      });
    }),
  );

  it(
    'takes it for no error that the namespace of a pod is terminating',
    playing(async ({ scheduler, server, errors, add, until }) => {
      scheduler.setNode(undefined, small);
      server.refusals.push(403, 403);
      add('p1', cpu('1'));
      await until(() => server.events.length === 1);
      assert.deepEqual(errors, ['scheduling failed']);
      server.cause = 'NamespaceTerminating';
      add('p2', cpu('1'));
      await until(() => server.events.length === 2);
      assert.deepEqual(errors, ['scheduling failed']);
    }),
  );

  it(
    'forgets a pod that is refused, and tries it again after a back-off',
    playing(async ({ scheduler, server, clock, nodes, add, until }) => {
      scheduler.setNode(undefined, small);
      server.refusals.push(409);
      add('p1', cpu('1'));
      await until(() => server.lastStatus('p1') !== undefined && server.events.length === 1);
      assert.deepEqual(server.events, ['running Bind plugin "DefaultBinder": refused with 409']);
      const { status } = server.lastStatus('p1') as { status: { conditions: readonly { reason: string }[] } };
      assert.equal(status.conditions[0]?.reason, 'SchedulerError');
      // Its room is free for others while it backs off.
      add('p2', cpu('1'));
      await until(() => nodes.has('p2'));
      assert.equal(nodes.has('p1'), false);
      scheduler.setNode(undefined, testNode('n2'));
      clock.advance(2_000);
      await until(() => nodes.has('p1'));
      assert.equal(nodes.get('p1'), 'n2');
    }),
  );

  it(
    'counts a pod that is being bound, and frees its room when it is deleted',
    playing(async ({ scheduler, server, nodes, add, until }) => {
      const gate = Promise.withResolvers<void>();
      server.gate = gate.promise;
      scheduler.setNode(undefined, small);
      const first = add('p1', cpu('1'));
      await until(() => server.pendingBindings === 1);
      add('p2', cpu('1'));
      await until(() => server.events.length === 1);
      assert.match(server.events[0] ?? '', /^0\/1 nodes are available: 1 Insufficient cpu\./);
      server.refusals.push(404);
      scheduler.deletePod(first);
      gate.resolve();
      await until(() => nodes.has('p2'));
      assert.equal(scheduler.queue.find('p1'), undefined);
    }),
  );

  it(
    'makes a bounded number of requests at a time',
    playing(async ({ scheduler, server, nodes, add, until }) => {
      const gate = Promise.withResolvers<void>();
      server.gate = gate.promise;
      for (let index = 0; index < 10; index++) scheduler.setNode(undefined, testNode(`n${index}`));
      for (let index = 0; index < 900; index++) add(`p${index}`);
      await until(() => server.pendingBindings === 32 && scheduler.queue.sizes.active === 900 - 512);
      gate.resolve();
      await until(() => nodes.size === 900);
      assert.equal(server.mostPendingBindings, 32);
    }),
  );

  it(
    'tries pods without nodes again and again, later and later',
    playing(async ({ scheduler, server, clock, nodes, add, until }) => {
      add('p1');
      await until(() => server.events.length === 1);
      assert.deepEqual(server.events, ['no nodes available to schedule pods']);
      scheduler.setNode(undefined, small);
      assert.equal(nodes.size, 0);
      clock.advance(2_000);
      await until(() => nodes.has('p1'));
    }),
  );

  it(
    'binds a pod after its status says how the attempt before went',
    playing(async ({ scheduler, server, clock, nodes, add, until }) => {
      const gate = Promise.withResolvers<void>();
      server.statusGate = gate.promise;
      add('p1');
      await until(() => server.lastStatus('p1') !== undefined);
      scheduler.setNode(undefined, small);
      clock.advance(2_000);
      await until(() => scheduler.cluster.placedPod('p1') !== undefined);
      add('p2');
      await until(() => nodes.has('p2'));
      assert.equal(nodes.has('p1'), false);
      gate.resolve();
      await until(() => nodes.has('p1'));
    }),
  );

  it(
    'leaves pods of other schedulers alone, but counts them once they have a node',
    playing(async ({ scheduler, server, add, until }) => {
      scheduler.setNode(undefined, small);
      const foreign = { ...cpu('1'), spec: { schedulerName: 'other' } };
      const before = add('foreign', foreign);
      scheduler.updatePod(before, { ...before, spec: { ...before.spec, nodeName: 'n1' } });
      add('own', cpu('1'));
      await until(() => server.events.length === 1);
      assert.match(server.events[0] ?? '', /Insufficient cpu/);
      assert.equal(server.lastStatus('foreign'), undefined);
    }),
  );

  it(
    'removes victims, and does not try the pod again before that',
    playing(async ({ scheduler, server, nodes, add, until }) => {
      scheduler.setNode(undefined, small);
      const victim = add('victim', cpu('1'));
      await until(() => nodes.has('victim'));
      const bound = { ...victim, spec: { ...victim.spec, nodeName: 'n1' } };
      add('subject', { ...cpu('1'), spec: { priority: 5 } });
      await until(() => server.requests.some(({ line }) => line === 'DELETE /api/v1/namespaces/default/pods/victim'));
      await until(() => server.lastStatus('subject') !== undefined);
      const { status } = server.lastStatus('subject') as { status: { nominatedNodeName: string } };
      assert.equal(status.nominatedNodeName, 'n1');
      assert.deepEqual(
        scheduler.queue.nominator.forNode('n1').map(({ name }) => name),
        ['subject'],
      );
      const disruption = server.lastStatus('victim') as { status: { conditions: readonly unknown[] } };
      assert.deepEqual(disruption.status.conditions, [
        {
          type: 'DisruptionTarget',
          observedGeneration: 1,
          status: 'True',
          reason: 'PreemptionByScheduler',
          message: 'default-scheduler: preempting to accommodate a higher priority pod',
          lastProbeTime: null,
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
      ]);
      scheduler.deletePod(bound);
      await until(() => nodes.has('subject'));
      assert.deepEqual(scheduler.queue.nominator.forNode('n1'), []);
    }),
  );
});
