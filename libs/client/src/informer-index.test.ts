import assert from 'node:assert/strict';
import type { KubeObject } from '@apichain/meta';
import { Index, byController, byNamespace, orphansOf } from './informer-index.ts';

const pod = (name: string, owner?: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    namespace: 'default',
    ...(owner !== undefined && {
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: owner, uid: owner, controller: true }],
    }),
  },
});

describe('Index', () => {
  it('finds objects by the uid of their controller, and orphans by their namespace', () => {
    const index = new Index(byController);
    const [owned, orphan] = [pod('a', 'rs'), pod('b')];
    index.set('default/a', undefined, owned);
    index.set('default/b', undefined, orphan);
    assert.deepEqual(index.get('rs'), [owned]);
    assert.deepEqual(index.get(orphansOf('default')), [orphan]);
    assert.deepEqual(index.get('other'), []);
  });

  it('moves an object whose value has changed, and forgets deleted ones', () => {
    const index = new Index(byController);
    const [orphan, adopted] = [pod('a'), pod('a', 'rs')];
    index.set('default/a', undefined, orphan);
    index.set('default/a', orphan, adopted);
    assert.deepEqual(index.get(orphansOf('default')), []);
    assert.deepEqual(index.get('rs'), [adopted]);
    index.set('default/a', adopted, undefined);
    assert.deepEqual(index.get('rs'), []);
  });

  it('has the newest state of an object whose value stays', () => {
    const index = new Index(byNamespace);
    const [old, current] = [pod('a'), pod('a', 'rs')];
    index.set('default/a', undefined, old);
    index.set('default/a', old, current);
    assert.deepEqual(index.get('default'), [current]);
  });
});
