import assert from 'node:assert/strict';
import { Registry } from 'prom-client';
import { exponentialBuckets, PreparedCounter, PreparedHistogram } from './prepared.ts';

const valuesOf = async (registry: Registry): Promise<string[]> =>
  (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));

describe('prepared metrics', () => {
  it('show the counters that have counted', async () => {
    const registry = new Registry();
    const counter = new PreparedCounter({ name: 'requests_total', help: 'Requests.', labelNames: ['code'], registry });
    const ok = counter.prepare({ code: '200' });
    counter.prepare({ code: '404' });
    assert.deepEqual(await valuesOf(registry), []);
    ok.value += 2;
    assert.deepEqual(await valuesOf(registry), ['requests_total{code="200"} 2']);
    registry.resetMetrics();
    assert.deepEqual(await valuesOf(registry), []);
    ok.value++;
    assert.deepEqual(await valuesOf(registry), ['requests_total{code="200"} 1']);
  });

  it('show histograms with cumulative buckets, in which a bound belongs to its bucket', async () => {
    const registry = new Registry();
    const settings = { name: 'seconds', help: 'Durations.', labelNames: ['verb'] as const, registry };
    const histogram = new PreparedHistogram({ ...settings, buckets: [1, 2] });
    const get = histogram.prepare({ verb: 'get' });
    histogram.prepare({ verb: 'list' });
    for (const value of [0.5, 1, 1.5, 7]) get.observe(value);
    assert.deepEqual(await valuesOf(registry), [
      'seconds_bucket{verb="get",le="1"} 2',
      'seconds_bucket{verb="get",le="2"} 3',
      'seconds_bucket{verb="get",le="+Inf"} 4',
      'seconds_sum{verb="get"} 10',
      'seconds_count{verb="get"} 4',
    ]);
    registry.resetMetrics();
    assert.deepEqual(await valuesOf(registry), []);
  });

  it('have bounds that grow by a factor', () => {
    assert.deepEqual(exponentialBuckets(0.5, 2, 4), [0.5, 1, 2, 4]);
    assert.equal(exponentialBuckets(1e-8, 10, 10)[3], 9.999999999999999e-6);
  });
});
