import { strict as assert } from 'node:assert';
import { storageCells } from './storage.ts';

const metadata = { name: 'x' };

describe('cells of storage kinds', () => {
  it('show the default reclaim policy of a class, and no default for an empty one', () => {
    const policy = storageCells['StorageClass.storage.k8s.io']?.ReclaimPolicy;
    const shown = (members: Record<string, unknown>) => policy?.({ apiVersion: '', kind: '', metadata, ...members });
    assert.equal(shown({}), 'Delete');
    assert.equal(shown({ reclaimPolicy: '' }), '');
    assert.equal(shown({ reclaimPolicy: 'Retain' }), 'Retain');
  });
});
