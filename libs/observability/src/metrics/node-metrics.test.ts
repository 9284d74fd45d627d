import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Registry } from 'prom-client';
import { installNodeMetrics } from './node-metrics.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

async function valueOf(registry: Registry, series: string): Promise<number | undefined> {
  const line = (await registry.metrics()).split('\n').find((text) => text.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length));
}

const collections = async (registry: Registry): Promise<number> =>
  (await valueOf(registry, 'nodejs_gc_duration_seconds_count{kind="major"}')) ?? 0;

/** Collects garbage, and resolves when the observer of the process knows, which is told by one of the next events. */
async function collected(registry: Registry, times: number): Promise<void> {
  const before = await collections(registry);
  for (let i = 0; i < times; i++) collectGarbage();
  while ((await collections(registry)) < before + times) await new Promise(setImmediate);
}

function newRegistry(): Registry {
  const registry = new Registry();
  installNodeMetrics(registry);
  return registry;
}

describe('metrics of Node', () => {
  it('count every collection of garbage once for all servers of the process', async () => {
    const [one, other] = [newRegistry(), newRegistry()];
    await collected(one, 3);
    assert.equal(await collections(other), await collections(one));
  });

  it('tell what was alive after the last major collection, and what is held', async () => {
    const registry = newRegistry();
    const alive = async () => (await valueOf(registry, 'nodejs_heap_size_used_after_last_gc_bytes')) ?? 0;
    const kept = Array.from({ length: 40_000 }, () => new Array<number>(100).fill(0));
    const bytes = kept.length * 400;
    await collected(registry, 1);
    const withAll = await alive();
    kept.length = 0;
    await collected(registry, 1);
    const without = await alive();
    assert.ok(without > 0 && without < withAll - bytes, `${without} of ${withAll}`);
    const total = (await valueOf(registry, 'nodejs_heap_size_total_bytes')) ?? 0;
    assert.ok(total > without, `${total}`);
  });

  it('tell how late the event loop is', async () => {
    const reading = valueOf(newRegistry(), 'nodejs_eventloop_lag_seconds');
    const end = performance.now() + 50;
    while (performance.now() < end);
    const lag = (await reading) ?? 0;
    assert.ok(lag >= 0.04, `${lag}`);
  });
});
