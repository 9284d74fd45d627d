import assert from 'node:assert/strict';
import { created, updated } from '../common/validation-for.fixture.ts';

const volume = { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, volumeMode: 'Filesystem' };

describe('persistent volumes', () => {
  it('checks volumes', () => {
    assert.deepEqual(created('persistentvolumes', { spec: { ...volume, nfs: { server: 's', path: '/p' } } }), []);
    assert.deepEqual(created('persistentvolumes', { spec: {} }), [
      'spec.accessModes: Required value',
      'spec.capacity: Required value',
      'spec.capacity: Unsupported value: null: supported values: "storage"',
      'spec: Required value: must specify a volume type',
    ]);
    // Amounts beyond int64 wrap around.
    const capacity = { storage: '9223372036854775808' };
    assert.deepEqual(
      created('persistentvolumes', { spec: { ...volume, capacity, nfs: { server: 's', path: '/p' } } }),
      ['spec.capacity[storage]: Invalid value: -9223372036854775808: must be a valid resource quantity'],
    );
    const local = { spec: { ...volume, local: { path: '/p' } } };
    assert.deepEqual(created('persistentvolumes', local), [
      'spec.nodeAffinity: Required value: Local volume requires node affinity',
    ]);
  });

  it('keeps the source of a volume', () => {
    const nfs = (path: string) => ({ spec: { ...volume, nfs: { server: 's', path } } });
    const [error = ''] = updated('persistentvolumes', nfs('/b'), nfs('/a'));
    assert.match(
      error,
      /^spec\.persistentvolumesource: Forbidden: spec\.persistentvolumesource is immutable after creation\n@@/,
    );
    assert.match(error, /\n- {2}"Path": "\/a",\n\+ {2}"Path": "\/b",\n/);
  });
});
