import assert from 'node:assert/strict';
import {
  type Clock,
  type KubeObject,
  newAlreadyExists,
  newForbidden,
  newInvalid,
  newNotFound,
  withClock,
} from '@apichain/meta';
import { RestClient } from '../rest-client.ts';
import type { Transport, TransportRequest } from '../transport.ts';
import { EventRecorder, type EventRecorderOptions } from './event-recorder.ts';

const pod: KubeObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a', namespace: 'default', uid: 'u', resourceVersion: '7' },
};

/** Answers every request with its own body, or with the error that `fail` returns. */
class Recording implements Transport {
  readonly requests: { method: string; path: string; body: Record<string, unknown> }[] = [];
  readonly fail: (request: TransportRequest, n: number) => Error | undefined;
  constructor(fail: Recording['fail'] = () => undefined) {
    this.fail = fail;
  }
  async send(request: TransportRequest) {
    const text = String(request.body);
    this.requests.push({
      method: request.method,
      path: request.path,
      body: JSON.parse(text) as Record<string, unknown>,
    });
    const error = this.fail(request, this.requests.length);
    if (error !== undefined) throw error;
    async function* body() {
      yield Buffer.from(text);
    }
    return { status: 200, headers: {}, body: Object.assign(body(), { dump: async () => {} }) };
  }
  async close(): Promise<void> {}
}

/** A clock that is moved by hand. */
function testClock(): Clock & { advance(ms: number): void } {
  let now = Date.parse('2026-01-02T03:04:05Z');
  const timers = new Set<{ due: number; callback: () => void }>();
  return {
    now: () => now,
    setTimer(callback, delayMs) {
      const timer = { due: now + delayMs, callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance(ms) {
      now += ms;
      for (const timer of timers) {
        if (timer.due > now) continue;
        timers.delete(timer);
        timer.callback();
      }
    },
  };
}

const turns = async (): Promise<void> => {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
};

const newRecorder = (transport: Transport, options: Partial<EventRecorderOptions> = {}) =>
  new EventRecorder({ client: new RestClient(transport), component: 'default-scheduler', ...options });

describe('EventRecorder', () => {
  it('writes events in the order of the calls', async () => {
    const transport = new Recording();
    const recorder = newRecorder(transport);
    for (const message of ['one', 'two', 'three']) recorder.event(pod, 'Normal', 'Counting', message);
    await turns();
    assert.deepEqual(
      transport.requests.map(({ method, path, body }) => [method, path, body['message']]),
      ['one', 'two', 'three'].map((message) => ['POST', '/api/v1/namespaces/default/events', message]),
    );
  });

  it('records events about cluster-scoped objects in the namespace default', async () => {
    const transport = new Recording();
    const node: KubeObject = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1', uid: 'n1' } };
    newRecorder(transport).event(node, 'Normal', 'RegisteredNode', 'm');
    await turns();
    assert.equal(transport.requests[0]?.path, '/api/v1/namespaces/default/events');
  });

  it('counts a repeated event, and creates it again if it has been deleted', async () => {
    const transport = new Recording(({ method }, n) =>
      method === 'PATCH' && n === 3 ? newNotFound({ group: '', resource: 'events' }, 'a') : undefined,
    );
    const recorder = newRecorder(transport);
    for (let i = 0; i < 3; i++) recorder.event(pod, 'Warning', 'Unhealthy', 'm');
    await turns();
    assert.deepEqual(
      transport.requests.map(({ method, body }) => [method, body['count']]),
      [
        ['POST', 1],
        ['PATCH', 2],
        ['PATCH', 3],
        ['POST', 3],
      ],
    );
  });

  it('gives up an event that the server refuses, and continues with the next', async () => {
    const errors: unknown[] = [];
    const transport = new Recording((_, n) =>
      n === 1 ? newInvalid({ group: '', kind: 'Event' }, 'x', []) : undefined,
    );
    const recorder = newRecorder(transport, { onError: (error) => errors.push(error) });
    recorder.event(pod, 'Normal', 'A', 'a');
    recorder.event(pod, 'Normal', 'B', 'b');
    await turns();
    assert.equal(errors.length, 1);
    assert.deepEqual(
      transport.requests.map(({ body }) => body['reason']),
      ['A', 'B'],
    );
  });

  it('drops an event whose namespace is going, or that exists, without a word', async () => {
    const errors: unknown[] = [];
    const namespaces = { group: '', resource: 'namespaces' };
    const terminating = newForbidden({ group: '', resource: 'events' }, 'x', 'it is being terminated');
    terminating.status.details = { ...terminating.status.details, causes: [{ reason: 'NamespaceTerminating' }] };
    const errorsInOrder = [
      terminating,
      newNotFound(namespaces, 'x'),
      newAlreadyExists({ group: '', resource: 'events' }, 'x'),
    ];
    const transport = new Recording((_, n) => errorsInOrder[n - 1]);
    const recorder = newRecorder(transport, { onError: (error) => errors.push(error) });
    for (const reason of ['A', 'B', 'C', 'D']) recorder.event(pod, 'Normal', reason, reason);
    await turns();
    assert.deepEqual(errors, []);
    assert.equal(transport.requests.length, 4);
  });

  it('tries again when there is no response', async () => {
    const clock = testClock();
    await withClock(clock, async () => {
      const transport = new Recording((_, n) => (n === 1 ? new Error('connection refused') : undefined));
      newRecorder(transport).event(pod, 'Normal', 'A', 'a');
      await turns();
      assert.equal(transport.requests.length, 1);
      clock.advance(10_000);
      await turns();
      assert.equal(transport.requests.length, 2);
    });
  });

  it('makes a series of a repeated event of events.k8s.io, and writes its count when it ends', async () => {
    const clock = testClock();
    await withClock(clock, async () => {
      const transport = new Recording();
      const recorder = newRecorder(transport, { api: 'events.k8s.io/v1', instance: 's-1' });
      for (let i = 0; i < 4; i++) recorder.event(pod, 'Warning', 'FailedScheduling', `m${i}`, { action: 'Scheduling' });
      await turns();
      const path = '/apis/events.k8s.io/v1/namespaces/default/events';
      const [created, patched, ...none] = transport.requests;
      assert.equal(created?.path, path);
      assert.equal(created.body['note'], 'm0');
      assert.equal(created.body['action'], 'Scheduling');
      assert.equal(created.body['reportingController'], 'default-scheduler');
      assert.deepEqual(patched?.body, { series: { count: 2, lastObservedTime: '2026-01-02T03:04:05.000000Z' } });
      assert.deepEqual(none, []);
      clock.advance(6 * 60_000);
      await turns();
      assert.deepEqual(transport.requests[2]?.body, {
        series: { count: 4, lastObservedTime: '2026-01-02T03:04:05.000000Z' },
      });
      recorder.event(pod, 'Warning', 'FailedScheduling', 'm', { action: 'Scheduling' });
      await turns();
      assert.equal(transport.requests[3]?.method, 'POST');
    });
  });

  it('stops with its signal', async () => {
    const stop = new AbortController();
    const transport = new Recording();
    const recorder = newRecorder(transport, { signal: stop.signal });
    stop.abort();
    recorder.event(pod, 'Normal', 'A', 'a');
    await turns();
    assert.deepEqual(transport.requests, []);
  });
});
