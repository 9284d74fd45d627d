import assert from 'node:assert/strict';
import { NodeCount } from './node-ttl.ts';

describe('NodeCount', () => {
  it('lets kubelets keep what they read the longer the more of them there are', () => {
    const count = new NodeCount();
    const changes: string[] = [];
    const change = (by: 1 | -1, until: number, from: number): void => {
      for (let nodes = from; nodes !== until; nodes += by) {
        const before = count.seconds;
        count.add(by);
        if (count.seconds !== before) changes.push(`${nodes + by}: ${count.seconds}`);
      }
    };
    assert.equal(count.seconds, 0);
    change(1, 2_100, 0);
    change(-1, 0, 2_100);
    assert.deepEqual(changes, [
      ...['101: 15', '501: 30', '1001: 60', '2001: 300'],
      ...['1799: 60', '899: 30', '449: 15', '89: 0'],
    ]);
  });
});
