import assert from 'node:assert/strict';
import type { Shelf } from '../workloads/live-objects.ts';
import { History } from './history.ts';
import { eventAbout, kinds, object, ownedBy } from './timeline.fixture.ts';

const spec = (replicas: number) => ({ spec: { replicas } });

describe('the history', () => {
  let history: History;
  let shelf: Shelf;

  const list = (of: Shelf, objects: Parameters<Shelf['list']>[0], more = 0) => {
    of.beginList();
    of.list(objects);
    of.endList(more);
  };
  const told = () =>
    history.changes.map(({ type, name, fields }) => [type, name, ...fields.map(({ field }) => field)].join(' '));

  beforeEach(() => {
    history = new History();
    shelf = history.shelfOf(kinds.deployments, 'shop');
  });

  it('has what a watch tells, with fields and the states before and after', () => {
    list(shelf, [object('web', 1, spec(2))]);
    assert.deepEqual(told(), []);
    shelf.apply({ type: 'MODIFIED', object: object('web', 5, spec(3)) });
    shelf.apply({ type: 'ADDED', object: object('new', 6, spec(1)) });
    shelf.apply({ type: 'DELETED', object: object('web', 7, spec(3)) });
    shelf.apply({ type: 'BOOKMARK', object: object('', 8) });
    assert.deepEqual(told(), ['changed web spec.replicas', 'added new', 'deleted web']);
    const [changed, added, deleted] = history.changes;
    assert.equal(changed?.id, 'deployments.apps@5');
    assert.match(changed?.before ?? '', /"replicas":2/);
    assert.match(changed?.after ?? '', /^{"apiVersion":"apps\/v1","kind":"Deployment",.*"replicas":3/);
    assert.equal(added?.before, undefined);
    assert.ok(changed !== undefined && added !== undefined && deleted !== undefined);
    assert.equal(history.stateOf(deleted), undefined);
    assert.equal(history.stateOf(added), added.after);
    assert.deepEqual(history.takeNew().length, 3);
    assert.deepEqual(history.takeNew(), []);
  });

  it('puts what arrives together in the order of resourceVersions', () => {
    const pods = history.shelfOf(kinds.pods, 'shop');
    shelf.apply({ type: 'ADDED', object: object('first', 1) });
    shelf.apply({ type: 'ADDED', object: object('third', 9) });
    pods.apply({ type: 'ADDED', object: object('second', 4) });
    assert.deepEqual(told(), ['added first', 'added second', 'added third']);
  });

  it('finds in a new list what nobody has watched', () => {
    list(shelf, [object('web', 1, spec(2)), object('gone', 2), object('same', 3)]);
    list(shelf, [object('web', 8, spec(4)), object('same', 3), object('new', 9)]);
    assert.deepEqual(told(), ['changed web spec.replicas', 'added new', 'deleted gone'].sort(byOrder(told())));
    assert.ok(history.changes.every(({ isFromList }) => isFromList));
    // A list that is not whole tells nothing of what it lacks, and that of a namespace nothing of others.
    const before = told().length;
    list(shelf, [object('web', 8, spec(4))], 10);
    const all = history.shelfOf(kinds.deployments, '');
    list(all, [object('web', 8), object('same', 3), object('new', 9), object('x', 4, {}, { namespace: 'other' })]);
    list(history.shelfOf(kinds.deployments, 'shop'), [object('web', 8), object('same', 3), object('new', 9)]);
    assert.equal(told().length, before);
  });

  it('does not repeat what a list had when a watch begins again', () => {
    list(shelf, [object('web', 1, spec(2))]);
    shelf.apply({ type: 'MODIFIED', object: object('web', 5, spec(3)) });
    shelf.apply({ type: 'MODIFIED', object: object('web', 5, spec(3)) });
    assert.equal(history.changes.length, 1);
  });

  it('takes an object that was made again for another one', () => {
    list(shelf, [object('web', 1, spec(2))]);
    shelf.apply({ type: 'MODIFIED', object: object('web', 5, spec(3), { uid: 'other' }) });
    assert.deepEqual([history.changes[0]?.before, history.changes[0]?.fields], [undefined, []]);
  });

  it('has what events say and whom they regard, and who owns whom, also after the end', () => {
    const pods = history.shelfOf(kinds.pods, 'shop');
    pods.apply({ type: 'ADDED', object: object('pod', 1, {}, ownedBy('set')) });
    pods.apply({ type: 'DELETED', object: object('pod', 3, {}, ownedBy('set')) });
    history.shelfOf(kinds.events, 'shop').apply({ type: 'ADDED', object: eventAbout('pod', 2, 'Killing') });
    assert.deepEqual(history.ownersOf('uid-pod'), ['uid-set']);
    const [report] = history.changes.flatMap(({ report: one }) => one ?? []);
    assert.deepEqual([report?.uid, report?.reason, report?.isWarning], ['uid-pod', 'Killing', true]);
  });

  it('never has the values of a Secret, and tells when one has changed', () => {
    const secrets = history.shelfOf(kinds.secrets, 'shop');
    const applied = { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': 'c2VjcmV0' } };
    list(secrets, [object('db', 1, { data: { a: 'c2VjcmV0', b: 'c2FtZQ==' } }, applied)]);
    secrets.apply({ type: 'MODIFIED', object: object('db', 2, { data: { a: 'b3RoZXI=', b: 'c2FtZQ==' } }, applied) });
    const [change] = history.changes;
    assert.deepEqual(change?.fields, [
      { field: 'data.a', before: '‹hidden 1, 6 bytes›', after: '‹hidden 3, 5 bytes›' },
    ]);
    for (const value of ['c2VjcmV0', 'c2FtZQ', 'b3RoZXI'])
      assert.ok(!`${change?.before}${change?.after}`.includes(value), value);
  });

  it('is bounded: the oldest changes make room, and objects for which there is none are known without their state', () => {
    history = new History({ changes: 20_000, states: 3_000 });
    shelf = history.shelfOf(kinds.deployments, 'shop');
    shelf.beginList();
    const hasRoom = shelf.list(['a', 'b', 'c'].map((name, at) => object(name, at + 1, { data: 'x'.repeat(1_500) })));
    assert.equal(hasRoom, false);
    shelf.endList(1000);
    shelf.apply({ type: 'MODIFIED', object: object('c', 10, { data: 'short' }) });
    assert.deepEqual([history.changes[0]?.before, history.changes[0]?.fields], [undefined, []]);
    for (let i = 0; i < 200; i++) shelf.apply({ type: 'MODIFIED', object: object('a', 100 + i, { data: i }) });
    assert.ok(history.bytes <= 20_000);
    assert.ok(history.dropped > 100);
    assert.equal(history.dropped + history.changes.length, 201);
    assert.equal(history.changes.at(-1)?.resourceVersion, '299');
  });
});

/** Those learned of one list have no order among each other. */
const byOrder = (order: readonly string[]) => (a: string, b: string) => order.indexOf(a) - order.indexOf(b);
