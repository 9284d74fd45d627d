import { strict as assert } from 'node:assert';
import { object } from '../common/errors.fixture.ts';
import { storageCells } from '@apichain/kinds';

describe('cells of storage kinds', () => {
  it('shows the policy that a class has without one, but no other for an empty one', () => {
    const policy = storageCells['StorageClass.storage.k8s.io']?.ReclaimPolicy;
    const shown = (members: Record<string, unknown>) => policy?.(object('StorageClass', 'x', members));
    assert.equal(shown({}), 'Delete');
    assert.equal(shown({ reclaimPolicy: '' }), '');
    assert.equal(shown({ reclaimPolicy: 'Retain' }), 'Retain');
  });
});
