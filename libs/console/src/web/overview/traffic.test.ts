import assert from 'node:assert/strict';
import { consoleAgent, type RequestRecord } from '../requests/requests.ts';
import { trafficOf } from './traffic.ts';

const now = Date.parse('2026-01-01T12:00:00Z');
const record = (secondsAgo: number, changes: Partial<RequestRecord> = {}): RequestRecord => ({
  ...{ auditID: String(secondsAgo), receivedAt: now - secondsAgo * 1000, milliseconds: 1, user: 'jane' },
  ...{
    userAgent: 'kubectl',
    verb: 'get',
    method: 'GET',
    uri: '/api',
    code: 200,
    answeredBy: 'kube-core',
    services: [],
  },
  ...changes,
});

describe('the traffic of the overview', () => {
  it('counts requests of the last minute by second', () => {
    const traffic = trafficOf([record(0.1), record(1.5), record(1.6), record(59.9), record(70)], now);
    assert.equal(traffic.seconds, 60);
    assert.equal(traffic.perSecond, 4 / 60);
    assert.deepEqual(traffic.bySecond.slice(-2), [2, 1]);
    assert.equal(traffic.bySecond[0], 1);
  });

  it('is about a shorter time when records reach back less', () => {
    assert.deepEqual(trafficOf([record(1), record(3.5)], now).bySecond, [1, 0, 1, 0]);
    assert.equal(trafficOf([], now).seconds, 1);
  });

  it('finds failures, refusals and the slowest requests, but no watches and none of the console', () => {
    const traffic = trafficOf(
      [
        record(1, { code: 503, milliseconds: 9 }),
        record(2, { code: 403 }),
        record(3, { code: 0 }),
        record(4, { uri: '/api/v1/pods?watch=1', milliseconds: 9000 }),
        record(5, { userAgent: consoleAgent, milliseconds: 50, code: 500 }),
      ],
      now,
    );
    assert.deepEqual([traffic.failed.length, traffic.refused.length, traffic.slowest[0]?.milliseconds], [2, 1, 9]);
  });
});
