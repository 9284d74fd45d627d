import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { CustomResourceDefinition } from '@apichain/schema';
import { cleanupFinalizer } from '../crd/conditions.ts';
import type { CrdListener } from '../crd/crd-cache.ts';
import { CrdController } from './crd-controller.ts';

const name = 'widgets.example.com';
const established = { type: 'Established', status: 'True', reason: '', message: '', lastTransitionTime: '' } as const;

const deleted = (): CustomResourceDefinition => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name, deletionTimestamp: '2026-01-02T03:04:05Z', finalizers: [cleanupFinalizer] },
  spec: {
    group: 'example.com',
    scope: 'Cluster',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [{ name: 'v1', served: true, storage: true }],
  },
  status: { conditions: [established] },
});

describe('the controller of CustomResourceDefinitions', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  /** A cache that sees nothing by itself: `see` shows it what the store has. The steps that the controller takes are recorded. */
  function startController() {
    let stored: CustomResourceDefinition | undefined = deleted();
    let seen: CustomResourceDefinition | undefined = stored;
    const steps: string[] = [];
    const listeners: CrdListener[] = [];
    const waiting: { readonly steps: number; readonly done: () => void }[] = [];
    const note = (step: string) => {
      steps.push(step);
      for (const { steps: wanted, done } of waiting) if (steps.length >= wanted) done();
    };
    const controller = new CrdController({
      cache: {
        get: () => seen,
        all: () => (seen === undefined ? [] : [seen]),
        onChange: (heard) => listeners.push(heard),
      },
      resource: {
        updateStatus: async (_ctx, _seen, change) => {
          const next = structuredClone(stored);
          assert.ok(next !== undefined && (await change(next)));
          stored = next.metadata.finalizers?.length === 0 ? undefined : next;
          note(stored === undefined ? 'removed' : 'marked');
        },
      },
      instances: {
        removeInstances: () => {
          note('instances deleted');
          return Promise.resolve(0);
        },
        removeStragglers: () => {
          note('stragglers deleted');
          return Promise.resolve();
        },
      },
      logger: { warn: assert.fail },
      workers: () => undefined,
    });
    const stop = new AbortController();
    const running = controller.run(stop.signal);
    return {
      steps,
      see: () => {
        seen = stored;
        for (const heard of listeners) heard(name, seen);
      },
      reached: (count: number) =>
        new Promise<void>((done) => (steps.length >= count ? done() : waiting.push({ steps: count, done }))),
      end: async () => {
        stop.abort();
        await running;
      },
    };
  }

  it('deletes the instances of a CRD as soon as its mark is seen, without a timer', async () => {
    const { steps, see, reached, end } = startController();
    see();
    await reached(1);
    // Whatever the controller does by itself has happened after this turn.
    await new Promise(setImmediate);
    assert.deepEqual(steps, ['marked']);
    see();
    await reached(3);
    assert.deepEqual(steps, ['marked', 'instances deleted', 'removed']);
    await end();
  });

  it('looks for stragglers once the CRD is gone, some time later', async () => {
    const { steps, see, reached, end } = startController();
    const clock = mock.method(performance, 'now', () => 0);
    see();
    await reached(1);
    see();
    await reached(3);
    see();
    await new Promise(setImmediate);
    assert.equal(steps.length, 3);
    clock.mock.mockImplementation(() => 1_000);
    mock.timers.tick(1_000);
    await reached(4);
    assert.equal(steps.at(-1), 'stragglers deleted');
    clock.mock.restore();
    await end();
  });
});
