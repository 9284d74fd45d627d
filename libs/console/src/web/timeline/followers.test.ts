import assert from 'node:assert/strict';
import { followersOf } from './followers.ts';
import { History } from './history.ts';
import { eventAbout, kinds, object, ownedBy } from './timeline.fixture.ts';

describe('what followed a change', () => {
  let history: History;
  const put = (resource: keyof typeof kinds, ...args: Parameters<typeof object>) =>
    history.shelfOf(kinds[resource], 'shop').apply({ type: 'MODIFIED', object: object(...args) });
  const report = (...args: Parameters<typeof eventAbout>) =>
    history.shelfOf(kinds.events, 'shop').apply({ type: 'ADDED', object: eventAbout(...args) });
  const following = (resourceVersion: string) => {
    const change = history.changes.find((one) => one.resourceVersion === resourceVersion);
    assert.ok(change);
    const { changes, until } = followersOf(history, change);
    return [changes.map((one) => Number(one.resourceVersion)), until?.resourceVersion];
  };

  beforeEach(() => {
    history = new History();
    put('deployments', 'web', 1, { spec: 1, status: 1 });
    put('replicasets', 'set', 2, {}, ownedBy('web'));
    put('deployments', 'web', 3, { spec: 2, status: 1 });
    put('replicasets', 'set', 4, { spec: 2 }, ownedBy('web'));
    put('pods', 'pod', 5, {}, ownedBy('set'));
    put('pods', 'other', 6, {}, ownedBy('another'));
    report('pod', 7, 'Scheduled');
    report('other', 8, 'Scheduled');
    put('deployments', 'web', 9, { spec: 2, status: 2 });
    put('deployments', 'web', 10, { spec: 3, status: 2 });
    put('pods', 'pod', 11, { spec: 2 }, ownedBy('set'));
  });

  it('is its status, what it owns as far as that goes, and events about these, until it was changed again', () => {
    assert.deepEqual(following('3'), [[4, 5, 7, 9], '10']);
    assert.deepEqual(following('10'), [[11], undefined]);
  });

  it('begins anywhere in a chain of owners', () => {
    assert.deepEqual(following('4'), [[5, 7, 11], undefined]);
    assert.deepEqual(following('6'), [[8], undefined]);
  });

  it('ends with owners in a circle', () => {
    put('pods', 'a', 20, {}, ownedBy('b'));
    put('pods', 'b', 21, {}, ownedBy('a'));
    put('pods', 'c', 22, {}, ownedBy('a'));
    assert.deepEqual(following('10'), [[11], undefined]);
  });
});
