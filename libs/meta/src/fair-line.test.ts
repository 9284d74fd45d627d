import assert from 'node:assert/strict';
import { FairLine } from './fair-line.ts';

function order(line: FairLine<string>): string[] {
  const served: string[] = [];
  while (line.length > 0) served.push(line.shift() ?? '');
  return served;
}

describe('FairLine', () => {
  it('keeps the order of one owner', () => {
    const line = new FairLine<string>();
    for (const entry of ['1', '2', '3']) line.push('a', entry);
    assert.deepEqual(order(line), ['1', '2', '3']);
    assert.equal(line.shift(), undefined);
  });
  it('serves owners round-robin', () => {
    const line = new FairLine<string>();
    for (let i = 0; i < 24; i++) line.push('alice', `a${i}`);
    assert.equal(line.shift(), 'a0');
    line.push('bob', 'b0');
    line.push('bob', 'b1');
    line.push(undefined, 'server');
    assert.deepEqual(order(line).slice(0, 6), ['a1', 'b0', 'server', 'a2', 'b1', 'a3']);
  });
  it('gives an owner who comes back no second place in a round', () => {
    const line = new FairLine<string>();
    line.push('a', 'a0');
    line.push('b', 'b0');
    line.push('c', 'c0');
    assert.equal(line.shift(), 'a0');
    line.push('a', 'a1');
    assert.deepEqual(order(line), ['b0', 'c0', 'a1']);
  });
});
