import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { until } from '@apichain/meta/until.fixture';
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

  it('asks for progress also when the clock of the machine is set back', async () => {
    let asked = 0;
    const gate = new FreshnessGate(() => asked++);
    const first = gate.wait(1, 60_000);
    gate.reached(1);
    assert.equal(await first, true);
    mock.method(Date, 'now', () => 0);
    try {
      const second = gate.wait(2, 60_000);
      await until(() => asked === 2);
      gate.reached(2);
      assert.equal(await second, true);
    } finally {
      mock.restoreAll();
    }
  });
});
