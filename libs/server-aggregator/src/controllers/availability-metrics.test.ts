import assert from 'node:assert/strict';
import { Registry } from 'prom-client';
import { AvailabilityMetrics } from './availability-metrics.ts';

describe('metrics of APIServices', () => {
  it('tell which are unavailable, and how often they became so', async () => {
    const registry = new Registry();
    const metrics = new AvailabilityMetrics(registry);
    const down = { status: 'False', reason: 'MissingEndpoints' } as const;
    const up = { status: 'True', reason: 'Passed' } as const;
    metrics.observe('v1.a', down);
    metrics.observe('v1.b', up);
    metrics.observe('v1.c', up);
    metrics.observe('v1.c', down);
    metrics.observe('v1.c', down);
    metrics.observe('v1.d', down);
    metrics.forget('v1.d');
    const text = await registry.metrics();
    assert.match(text, /apiservice\{name="v1.a"\} 1\n.*\{name="v1.b"\} 0\n.*\{name="v1.c"\} 1\n\n/);
    assert.match(text, /apiservice_total\{name="v1.c",reason="MissingEndpoints"\} 1\n$/);
    assert.doesNotMatch(text, /v1\.d/);
  });
});
