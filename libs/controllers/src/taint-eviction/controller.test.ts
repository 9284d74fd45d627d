import type { Taint } from '@apichain/api/core/v1';
import assert from 'node:assert/strict';
import { toleratedMs } from './controller.ts';

const taint = (key: string, value = ''): Taint => ({ key, value, effect: 'NoExecute' });

describe('tolerations', () => {
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
