import assert from 'node:assert/strict';
import { FreshnessGate } from './freshness-gate.ts';

describe('FreshnessGate', () => {
  it('releases all callers when it is closed', async () => {
    let asked = 0;
    const gate = new FreshnessGate(() => asked++);
    const early = gate.wait(1, 60_000);
    gate.close();
    assert.deepEqual(await Promise.all([early, gate.wait(1, 60_000)]), [false, false]);
    assert.equal(asked, 1);
  });
});
