import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { canonicalPathElement, isCanonicalElement } from './path-element.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** The heap in use, in MiB. */
function usedMiB(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed / (1 << 20);
}

describe('path elements from clients', () => {
  it('are brought into canonical form', () => {
    assert.equal(canonicalPathElement('k:{"b": 1, "a":"x"}'), 'k:{"a":"x","b":1}');
    assert.equal(canonicalPathElement('v: "x"'), 'v:"x"');
    assert.equal(canonicalPathElement('k:{"a":"x","b":1}'), 'k:{"a":"x","b":1}');
    assert.ok(isCanonicalElement('k:{"a":"x","b":1}'));
  });

  it('are remembered within a bound, however long they are', () => {
    const before = usedMiB();
    for (let at = 0; at < 4_000; at++) canonicalPathElement(`v:"${at} ${'x'.repeat(9_900)}"`);
    for (let at = 0; at < 200; at++) canonicalPathElement(`v:"${at} ${'x'.repeat(500_000)}"`);
    const kept = usedMiB() - before;
    assert.ok(kept < 10, `${kept.toFixed(1)} MiB are kept`);
  });
});
