import assert from 'node:assert/strict';
import { type Clock, withClock } from '@apichain/meta';
import { claimOf } from './claim.ts';
import { Expectations } from './expectations.ts';
import { fnv32, fnv32a, goJson, safeEncode } from './hash.ts';
import { scaledValue } from './int-or-percent.ts';
import { podWith, replicaSetWith } from './objects.fixture.ts';
import { PendingWrites } from './pending-writes.ts';
import { isPodAvailable, nextAvailabilityIn } from './pod-status.ts';
import { byRevision, hasData, nextRevision, revisionData, templateOf } from './revision.ts';
import { slowStart } from './slow-start.ts';

describe('claimOf', () => {
  const owner = replicaSetWith('r1', 1);
  const going = { ...owner, metadata: { ...owner.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
  const owned = (uid: string) => {
    const pod = podWith('p');
    const reference = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'x', uid, controller: true };
    return { ...pod, metadata: { ...pod.metadata, ownerReferences: [reference] } };
  };
  for (const [what, by, pod, isSelected, expected] of [
    ['an own one', owner, owned('r1'), true, 'own'],
    ['an own one that no longer matches', owner, owned('r1'), false, 'release'],
    ['that of another', owner, owned('r2'), true, 'ignore'],
    ['an orphan', owner, podWith('p'), true, 'adopt'],
    ['an orphan that does not match', owner, podWith('p'), false, 'ignore'],
    ['an orphan that is going', owner, podWith('p', { isDeleted: true }), true, 'ignore'],
    ['an orphan, by an owner that is going', going, podWith('p'), true, 'ignore'],
    ['an own one, by an owner that is going', going, owned('r1'), true, 'own'],
    ['one that no longer matches, by an owner that is going', going, owned('r1'), false, 'ignore'],
  ] as const)
    it(`${what}: ${expected}`, () => assert.equal(claimOf(by, pod, isSelected), expected));
});

describe('Expectations', () => {
  it('are pending until all changes are observed, or five minutes have passed', () => {
    let now = 0;
    const clock: Clock = { now: () => now, setTimer: () => () => undefined };
    withClock(clock, () => {
      const expectations = new Expectations();
      assert.equal(expectations.pendingMs('k'), 0);
      expectations.expect('k', 2, ['a']);
      expectations.creationObserved('k', 2);
      assert.equal(expectations.pendingMs('k'), 300_000);
      expectations.deletionObserved('k', 'other');
      now = 100_000;
      assert.equal(expectations.pendingMs('k'), 200_000);
      expectations.deletionObserved('k', 'a');
      assert.equal(expectations.pendingMs('k'), 0);
      expectations.expect('k', 1, []);
      now = 500_000;
      assert.equal(expectations.pendingMs('k'), 0);
    });
  });
});

describe('PendingWrites', () => {
  it('are observed when the informer has reached their revision', () => {
    const writes = new PendingWrites();
    const owner = replicaSetWith('r1', 1);
    let resourceVersion: string | undefined = '9';
    const informer = {
      get resourceVersion() {
        return resourceVersion;
      },
    };
    assert.equal(writes.areObserved('default/r1'), true);
    const pod = podWith('p');
    writes.wrote(owner, informer, { ...pod, metadata: { ...pod.metadata, resourceVersion: '10' } });
    assert.equal(writes.areObserved('default/r1'), false);
    resourceVersion = '11';
    assert.equal(writes.areObserved('default/r1'), true);
  });
});

describe('slowStart', () => {
  it('doubles the batches, and stops after one with a failure', async () => {
    const begun: number[] = [];
    const { succeeded, error } = await slowStart(20, async (index) => {
      begun.push(index);
      if (index === 4) throw new Error('quota');
    });
    // The batches are 1, 2 and 4.
    assert.deepEqual(begun, [0, 1, 2, 3, 4, 5, 6]);
    assert.equal(succeeded, 6);
    assert.equal((error as Error).message, 'quota');
    assert.deepEqual(await slowStart(0, async () => assert.fail()), { succeeded: 0, error: undefined });
  });
});

describe('availability', () => {
  const at = (time: string) => Date.parse(time);
  const pod = podWith('p', { ready: '2026-01-01T00:00:00Z' });
  it('begins when a pod has been ready for minReadySeconds', () => {
    assert.equal(isPodAvailable(pod, 0, at('2026-01-01T00:00:00Z')), true);
    assert.equal(isPodAvailable(pod, 10, at('2026-01-01T00:00:09Z')), false);
    assert.equal(isPodAvailable(pod, 10, at('2026-01-01T00:00:10Z')), true);
    assert.equal(isPodAvailable(podWith('p'), 0, at('2026-01-01T00:00:00Z')), false);
  });
  it('is next reached by the pod that was ready first', () => {
    const later = podWith('q', { ready: '2026-01-01T00:00:05Z' });
    const now = at('2026-01-01T00:00:07Z');
    assert.equal(nextAvailabilityIn([later, pod, podWith('r')], 10, now), 3_000);
    assert.equal(nextAvailabilityIn([pod], 5, now), undefined);
  });
});

describe('scaledValue', () => {
  for (const [value, total, round, expected] of [
    [3, 10, 'up', 3],
    ['25%', 10, 'up', 3],
    ['25%', 10, 'down', 2],
    ['x', 10, 'up', 0],
    [undefined, 10, 'up', 0],
  ] as const)
    it(`${value} of ${total} ${round}`, () => assert.equal(scaledValue(value, total, round), expected));
});

describe('hashes', () => {
  it('are those of FNV', () => {
    assert.equal(fnv32('foobar'), 0x31f0b262);
    assert.equal(fnv32a('foobar'), 0xbf9cf968);
    assert.equal(fnv32a(''), 0x811c9dc5);
  });
  it('are encoded in safe characters', () => assert.equal(safeEncode(1234567890), '56789bcdf4'));
  it('are over JSON as Go writes it', () =>
    assert.equal(
      goJson({ b: 1, a: ['<&>', null, 2n], c: undefined, ä: true }),
      '{"a":["\\u003c\\u0026\\u003e",null,2],"b":1,"ä":true}',
    ));
});

describe('revisions', () => {
  it('restore the template that they were made from', () => {
    const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'a', image: 'a:1' }] } };
    const data = revisionData(template);
    const revision = { apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata: { name: 'r' }, data };
    assert.equal(
      JSON.stringify(data),
      '{"spec":{"template":{"$patch":"replace","metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"image":"a:1","name":"a"}]}}}}',
    );
    assert.equal(
      JSON.stringify(templateOf(revision)),
      JSON.stringify({ metadata: template.metadata, spec: { containers: [{ image: 'a:1', name: 'a' }] } }),
    );
    assert.ok(hasData(revision, revisionData({ spec: template.spec, metadata: template.metadata })));
  });
});

describe('the numbers of revisions', () => {
  const numbered = (name: string, revision?: number | bigint) => ({
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: { name, creationTimestamp: '2026-01-01T00:00:00Z' },
    ...(revision !== undefined && { revision }),
  });
  it('are compared and counted exactly beyond 2^53', () => {
    const revisions = [numbered('a', 2n ** 53n + 1n), numbered('b', 2 ** 53), numbered('c', 7), numbered('d')];
    assert.deepEqual(
      revisions.toSorted(byRevision).map(({ metadata }) => metadata.name),
      ['d', 'c', 'b', 'a'],
    );
    assert.equal(nextRevision(revisions), 2n ** 53n + 2n);
    assert.equal(nextRevision(revisions.slice(2)), 8);
    assert.equal(nextRevision([]), 1);
  });
});
