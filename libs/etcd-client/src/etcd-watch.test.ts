import assert from 'node:assert/strict';
import type { Event } from '@apichain/etcd-api/mvccpb';
import { WholeRevisions } from './etcd-watch.ts';

const none = Buffer.alloc(0);
const event = (modRevision: number): Event => ({
  type: 0,
  kv: { key: none, value: none, createRevision: 1, modRevision, version: 1, lease: '0' },
  prevKv: undefined,
});

describe('whole revisions', () => {
  const revisions = new WholeRevisions();
  const take = (fragment: boolean, ...numbers: number[]) =>
    revisions.take({ fragment, events: numbers.map(event) }).map(({ kv }) => kv?.modRevision);

  it('passes unfragmented responses', () => {
    assert.deepEqual(take(false, 2, 3, 3), [2, 3, 3]);
  });

  it('keeps the last revision of a fragment until the next one shows that it is complete', () => {
    assert.deepEqual(take(true, 4, 5, 6), [4, 5]);
    assert.deepEqual(take(true, 6, 6), []);
    assert.deepEqual(take(true, 7), [6, 6, 6]);
    assert.deepEqual(take(false, 7, 8), [7, 7, 8]);
    assert.deepEqual(take(false, 9), [9]);
  });
});
