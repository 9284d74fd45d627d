import assert from 'node:assert/strict';
import { History, type Change } from './history.ts';
import { RequestsOfChanges } from './requests-of-changes.ts';
import { kinds, object, request } from './timeline.fixture.ts';

describe('the requests of changes', () => {
  let requests: RequestsOfChanges;
  const changeOf = (resource: keyof typeof kinds, resourceVersion: number, type: 'ADDED' | 'MODIFIED' = 'MODIFIED') => {
    const history = new History();
    history.shelfOf(kinds[resource], 'shop').apply({ type, object: object('web', resourceVersion) });
    const [change] = history.changes;
    assert.ok(change);
    return change;
  };
  const idOf = (change: Change) => requests.requestOf(change)?.auditID;

  beforeEach(() => {
    requests = new RequestsOfChanges();
  });

  it('are found by what they have written, whichever comes first', () => {
    const [first, second] = [changeOf('deployments', 5), changeOf('deployments', 6)];
    requests.addChanges([first]);
    assert.equal(requests.isLooking(1000), true);
    requests.addRequests([request('a', 'patch', kinds.deployments, 'web', [5, 6])]);
    requests.addChanges([second]);
    assert.deepEqual([idOf(first), idOf(second), requests.isLooking(1000)], ['a', 'a', false]);
  });

  it('are those that have written it first: a write that changes nothing repeats a resourceVersion', () => {
    const change = changeOf('deployments', 5);
    const at = Date.now() - 100;
    requests.addRequests([
      request('repeats', 'patch', kinds.deployments, 'web', [5], { receivedAt: at + 50 }),
      request('writes', 'patch', kinds.deployments, 'web', [5], { receivedAt: at }),
      request('of-pods', 'patch', kinds.pods, 'web', [5], { receivedAt: at - 10 }),
    ]);
    requests.addChanges([change]);
    assert.equal(idOf(change), 'writes');
  });

  it('of a server that does not tell are found by object and time', () => {
    const change = changeOf('orders', 5);
    // Its response takes a minute, so that the clock of the test does not matter.
    const at = { receivedAt: change.seenAt - 5, milliseconds: 60_000 };
    const by = (auditID: string, verb: string, name: string, more: Parameters<typeof request>[5] = {}) =>
      request(auditID, verb, kinds.orders, name, [], { answeredBy: 'v1.shop.example.com', ...at, ...more });
    requests.addRequests([
      by('other-object', 'patch', 'other'),
      by('reads', 'get', 'web'),
      by('dry', 'patch', 'web', { uri: '/?dryRun=All' }),
      by('long-ago', 'patch', 'web', { receivedAt: change.seenAt - 200_000 }),
      by('of-the-chain', 'patch', 'web', { answeredBy: 'kube-core' }),
    ]);
    requests.addChanges([change]);
    assert.equal(idOf(change), undefined);
    requests.addRequests([by('it', 'patch', 'web')]);
    assert.equal(idOf(change), 'it');
    const created = changeOf('orders', 6, 'ADDED');
    requests.addChanges([created]);
    assert.equal(idOf(created), 'it');
    // The name of a new object may be that of the server.
    requests.addRequests([by('creates', 'create', '')]);
    const generated = changeOf('orders', 7, 'ADDED');
    requests.addChanges([generated]);
    assert.equal(idOf(generated), 'creates');
  });

  it('say where the history can begin', () => {
    assert.equal(requests.beforeWritesAfter(0), undefined);
    const at = Date.now() - 10_000;
    requests.addRequests([
      request('old', 'patch', kinds.pods, 'a', [3], { receivedAt: at - 10 }),
      request('new', 'patch', kinds.pods, 'a', [9, 8], { receivedAt: at }),
    ]);
    assert.equal(requests.beforeWritesAfter(at - 1), '7');
    assert.equal(requests.beforeWritesAfter(0), '2');
  });
});
