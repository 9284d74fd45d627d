import assert from 'node:assert/strict';
import { withClock } from '@apichain/meta';
import {
  findStatusCondition,
  isStatusConditionTrue,
  removeStatusCondition,
  setStatusCondition,
  type Condition,
} from './conditions.ts';
import { widget } from './fake-api.fixture.ts';
import * as predicate from './predicates.ts';
import { keyOf, requestOf } from './reconciler.ts';

describe('conditions', () => {
  const at = (second: number) => ({ now: () => second * 1_000, setTimer: () => () => undefined });
  const since = (second: number) => `1970-01-01T00:00:0${second}Z`;
  const object = (generation: number, conditions?: readonly Condition[]) => ({
    metadata: { generation },
    ...(conditions && { status: { conditions } }),
  });

  it('keep the time of their last transition as long as the status is the same', () => {
    const ready = { type: 'Ready', reason: 'A' };
    const first = withClock(at(1), () =>
      setStatusCondition(object(1), { ...ready, status: false, message: 'not yet' }),
    );
    assert.deepEqual(first, [
      {
        type: 'Ready',
        status: 'False',
        observedGeneration: 1,
        lastTransitionTime: since(1),
        reason: 'A',
        message: 'not yet',
      },
    ]);
    const other = { ...ready, type: 'Other', status: 'Unknown' } as const;
    const second = withClock(at(2), () => setStatusCondition(object(1, first), other));
    const third = withClock(at(3), () => setStatusCondition(object(2, second), { ...ready, status: 'False' }));
    assert.deepEqual(
      third.map(({ type, lastTransitionTime, observedGeneration }) => [type, lastTransitionTime, observedGeneration]),
      [
        ['Ready', since(1), 2],
        ['Other', since(2), 1],
      ],
    );
    const fourth = withClock(at(4), () => setStatusCondition(object(2, third), { ...ready, status: true }));
    assert.equal(findStatusCondition(object(2, fourth), 'Ready')?.lastTransitionTime, since(4));
    assert.ok(isStatusConditionTrue(object(2, fourth), 'Ready'));
    assert.ok(!isStatusConditionTrue(object(2, fourth), 'Other'));
    assert.deepEqual(
      removeStatusCondition(object(2, fourth), 'Ready').map(({ type }) => type),
      ['Other'],
    );
  });
});

describe('predicates', () => {
  const old = widget('a', 1, { generation: 1, labels: { tier: 'web' }, annotations: { a: '1' } });
  const changed = (metadata: object) => ({ ...old, metadata: { ...old.metadata, ...metadata } });

  it('tell what an update changes', () => {
    for (const [what, change] of [
      ['generationChanged', { generation: 2 }],
      ['labelChanged', { labels: {} }],
      ['annotationChanged', { annotations: { a: '2' } }],
    ] as const) {
      assert.equal(predicate[what].update?.(changed(change), old), true, what);
      assert.equal(predicate[what].update?.(changed({ finalizers: ['x'] }), old), false, what);
      assert.equal(predicate.and(predicate[what]).create(old), true);
      assert.equal(predicate.and(predicate[what]).delete(old), true);
    }
  });

  it('are joined', () => {
    const isWeb = predicate.labelSelector({ matchLabels: { tier: 'web' } });
    const isLarge = predicate.objects<ReturnType<typeof widget>>(({ spec }) => spec.size > 1);
    const events = ({ create, update, delete: gone }: Required<predicate.Predicate<ReturnType<typeof widget>>>) =>
      [create(old), update(old, old), gone(old)].join();
    assert.equal(events(predicate.and(isWeb, isLarge)), 'false,false,false');
    assert.equal(events(predicate.or(isWeb, isLarge)), 'true,true,true');
    assert.equal(events(predicate.not(isLarge)), 'true,true,true');
    assert.equal(events(predicate.and()), 'true,true,true');
    assert.equal(events(predicate.or()), 'false,false,false');
    assert.equal(events(predicate.not({})), 'false,false,false');
    assert.throws(
      () => predicate.labelSelector({ matchExpressions: [{ key: 'a', operator: 'Near' }] }),
      /"Near" is not a valid/,
    );
  });
});

describe('requests', () => {
  it('are keys of queues', () => {
    for (const request of [
      { namespace: 'a', name: 'b' },
      { namespace: '', name: 'c' },
    ])
      assert.deepEqual(requestOf(keyOf(request)), request);
  });
});
