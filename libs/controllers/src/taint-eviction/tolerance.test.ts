import type { Taint, Toleration } from '@apichain/api/core/v1';
import assert from 'node:assert/strict';
import { toleratedMs, tolerates } from './tolerance.ts';

const taint = (key: string, value = ''): Taint => ({ key, value, effect: 'NoExecute' });

describe('tolerations', () => {
  const rows: readonly [Toleration, Taint, boolean][] = [
    [{ key: 'a', operator: 'Exists' }, taint('a', 'x'), true],
    [{ operator: 'Exists' }, taint('a', 'x'), true],
    [{ key: 'a', value: 'x' }, taint('a', 'x'), true],
    [{ key: 'a', operator: 'Equal', value: 'y' }, taint('a', 'x'), false],
    [{ key: 'b', operator: 'Exists' }, taint('a'), false],
    [{ key: 'a', operator: 'Exists', effect: 'NoSchedule' }, taint('a'), false],
    [{ key: 'a', operator: 'Exists', effect: 'NoExecute' }, taint('a'), true],
  ];
  for (const [toleration, of, expected] of rows)
    it(`${JSON.stringify(toleration)} of ${of.key}=${of.value}: ${expected}`, () =>
      assert.equal(tolerates(toleration, of), expected));

  it('end with the shortest', () => {
    const exists = (key: string, tolerationSeconds?: number) => ({
      key,
      operator: 'Exists',
      ...(tolerationSeconds !== undefined && { tolerationSeconds }),
    });
    assert.equal(toleratedMs([taint('a'), taint('b')], [exists('a', 30), exists('b', 10)]), 10_000);
    assert.equal(toleratedMs([taint('a')], [exists('a')]), Infinity);
    assert.equal(toleratedMs([taint('a')], [exists('a', -5)]), 0);
    assert.equal(toleratedMs([taint('a'), taint('b')], [exists('a')]), 0);
  });
});
