import type { Taint, Toleration } from '@apichain/api/core/v1';
import assert from 'node:assert/strict';
import { isRepelled, isTolerated, tolerates } from './tolerations.ts';

const taint = (key: string, value = '', effect = 'NoExecute'): Taint => ({ key, value, effect });

describe('tolerations', () => {
  const rows: readonly [Toleration, Taint, boolean][] = [
    [{ key: 'a', operator: 'Exists' }, taint('a', 'x'), true],
    [{ operator: 'Exists' }, taint('a', 'x'), true],
    [{ key: 'a', value: 'x' }, taint('a', 'x'), true],
    [{ key: 'a', operator: 'Equal', value: 'y' }, taint('a', 'x'), false],
    [{ key: 'b', operator: 'Exists' }, taint('a'), false],
    [{ key: 'a', operator: 'Exists', effect: 'NoSchedule' }, taint('a'), false],
    [{ key: 'a', operator: 'Exists', effect: 'NoExecute' }, taint('a'), true],
    [{ key: 'a', operator: 'Near', value: 'x' }, taint('a', 'x'), false],
  ];
  for (const [toleration, of, expected] of rows)
    it(`${JSON.stringify(toleration)} of ${of.key}=${of.value}: ${expected}`, () =>
      assert.equal(tolerates(toleration, of), expected));

  it('count together', () => {
    const tolerations = [
      { key: 'b', operator: 'Exists' },
      { key: 'a', value: 'x' },
    ];
    assert.equal(isTolerated(taint('a', 'x'), tolerations), true);
    assert.equal(isTolerated(taint('a', 'x'), undefined), false);
  });

  it('are needed for the effects that keep pods from a node, or for the given ones', () => {
    assert.equal(isRepelled([taint('a', '', 'NoSchedule')], []), true);
    assert.equal(isRepelled([taint('a', '', 'NoSchedule')], [{ operator: 'Exists' }]), false);
    assert.equal(isRepelled([taint('a', '', 'PreferNoSchedule')], []), false);
    assert.equal(isRepelled([taint('a', '', 'NoSchedule')], [], ['NoExecute']), false);
    assert.equal(isRepelled(undefined, undefined), false);
  });
});
