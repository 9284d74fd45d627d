import assert from 'node:assert/strict';
import type { Kind } from '../api/kinds.ts';
import { ownedBy } from './relations.ts';

const kind = (name: string): Kind => ({
  ...{ group: 'apps', version: 'v1', resource: name.toLowerCase(), kind: name, namespaced: true },
  ...{ verbs: [], shortNames: [], subresources: [] },
});
const listed = (of: string, name: string, owner?: string) => ({
  kind: kind(of),
  metadata: {
    ...{ name, namespace: 'shop', uid: name },
    ownerReferences: owner === undefined ? undefined : [{ apiVersion: '', kind: '', name: owner, uid: owner }],
  },
});

describe('what an object owns', () => {
  const all = [
    listed('Deployment', 'web'),
    listed('ReplicaSet', 'web-1', 'web'),
    listed('ReplicaSet', 'web-2', 'web'),
    listed('Pod', 'web-2-a', 'web-2'),
    listed('Pod', 'alone'),
  ];

  it('is followed as far as it goes', () => {
    const levels = ownedBy('web', all, []);
    assert.deepEqual(
      levels.map((level) => level.map(({ name, to }) => [name, to])),
      [
        [
          ['web-1', undefined],
          ['web-2', undefined],
        ],
        [['web-2-a', 'ReplicaSet/shop/web-2/owned']],
      ],
    );
  });

  it('is bounded, and says so', () => {
    const many = Array.from({ length: 20 }, (_, at) => listed('Pod', `pod-${at}`, 'web'));
    const problems: string[] = [];
    assert.equal(ownedBy('web', many, problems)[0]?.length, 14);
    assert.deepEqual(problems, ['6 more objects are owned and not drawn']);
  });

  it('ends where objects own each other', () => {
    const circle = [listed('A', 'a', 'b'), listed('B', 'b', 'a')];
    assert.deepEqual(
      ownedBy('a', circle, []).map((level) => level.map(({ name }) => name)),
      [['b']],
    );
  });
});
