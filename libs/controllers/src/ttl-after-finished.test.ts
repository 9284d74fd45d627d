import assert from 'node:assert/strict';
import { expiry } from './ttl-after-finished.ts';

describe('expiry', () => {
  const job = (ttlSecondsAfterFinished: number | undefined, type: string, status = 'True') => ({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'j' },
    spec: { ttlSecondsAfterFinished },
    status: { conditions: [{ type, status, lastTransitionTime: '1970-01-01T00:00:10Z' }] },
  });
  it('is the ttl after completion or failure', () => {
    assert.equal(expiry(job(5, 'Complete')), 15_000);
    assert.equal(expiry(job(0, 'Failed')), 10_000);
  });
  it('is never for a running job or without a ttl', () => {
    assert.equal(expiry(job(5, 'Suspended')), undefined);
    assert.equal(expiry(job(5, 'Complete', 'False')), undefined);
    assert.equal(expiry(job(undefined, 'Complete')), undefined);
  });
});
