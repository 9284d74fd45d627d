import assert from 'node:assert/strict';
import { flagsBehindFirst, stopGraceMs, stopGraceOfFirst } from './first-service.ts';

describe('the time to stop', () => {
  it('is longer where the service that clients ask was told to take its time', () => {
    const flags = ['--shutdown-delay-duration=1m10s', '--shutdown_watch_termination_grace_period=500ms', '--v=2'];
    assert.equal(stopGraceOfFirst([]), stopGraceMs);
    assert.equal(stopGraceOfFirst(flags), stopGraceMs + 70_500);
    assert.equal(stopGraceOfFirst(['--shutdown-delay-duration=soon']), stopGraceMs);
  });

  it('is taken once', () => {
    assert.deepEqual(flagsBehindFirst(['--shutdown-delay-duration=1m', '--v=2']), ['--v=2']);
  });
});
