import assert from 'node:assert/strict';
import type { Deployment, ReplicaSet } from '@apichain/api/apps/v1';
import { deploymentWith, replicaSetWith } from '../workloads/objects.fixture.ts';
import { type Scaling, isScaled, nextSize, scaleCurrent, scaleOld, scaleToReplicas } from './scaling.ts';
import { maxSurge, maxUnavailable } from './size.ts';

const rolling = (replicas: number, surge?: number | string, unavailable?: number | string): Deployment =>
  deploymentWith({
    replicas,
    strategy: {
      type: 'RollingUpdate',
      rollingUpdate: {
        ...(surge !== undefined && { maxSurge: surge }),
        ...(unavailable !== undefined && { maxUnavailable: unavailable }),
      },
    },
  });
const set = (name: string, replicas: number, availableReplicas = replicas, max?: number): ReplicaSet =>
  replicaSetWith(name, replicas, {
    status: { replicas, availableReplicas },
    ...(max !== undefined && { annotations: { 'deployment.kubernetes.io/max-replicas': String(max) } }),
  });
const sizes = (scalings: readonly Scaling[]) =>
  scalings.map(({ set: { metadata }, replicas }) => [metadata.name, replicas]);

describe('fenceposts', () => {
  for (const [replicas, surge, unavailable, expected] of [
    [10, '25%', '25%', [3, 2]],
    [1, '25%', '25%', [1, 0]],
    [2, 0, '1%', [0, 1]],
    [1, '1%', 0, [1, 0]],
    [3, 0, 5, [0, 3]],
    [0, '25%', '25%', [0, 0]],
  ] as const)
    it(`${replicas} with surge ${surge} and unavailable ${unavailable}`, () => {
      const deployment = rolling(replicas, surge, unavailable);
      assert.deepEqual([maxSurge(deployment), maxUnavailable(deployment)], expected);
    });
  it('are none with Recreate', () => {
    const deployment = deploymentWith({ replicas: 3, strategy: { type: 'Recreate' } });
    assert.deepEqual([maxSurge(deployment), maxUnavailable(deployment)], [0, 0]);
    assert.equal(nextSize(deployment, [set('r1', 3)], 0), 3);
  });
});

describe('scaleCurrent', () => {
  for (const [what, deployment, old, size, expected] of [
    ['grows into the room of the surge', rolling(10, 3, 2), 10, 0, 3],
    ['waits without room', rolling(10, 3, 2), 13, 0, undefined],
    ['stops at the wanted size', rolling(10, 30, 2), 5, 8, 10],
    ['shrinks to the wanted size', rolling(5, 3, 2), 5, 8, 5],
    ['rests at the wanted size', rolling(5, 3, 2), 0, 5, undefined],
  ] as const)
    it(what, () => {
      const current = set('r2', size);
      const scalings = scaleCurrent(deployment, current, [set('r1', old), current]);
      assert.deepEqual(sizes(scalings), expected === undefined ? [] : [['r2', expected]]);
    });
});

describe('scaleOld', () => {
  for (const [what, deployment, current, old, expected] of [
    ['keeps the minimum available', rolling(10, 3, 2), set('r9', 3, 0), [set('r1', 10)], [['r1', 8]]],
    ['waits for new pods', rolling(10, 3, 2), set('r9', 5, 0), [set('r1', 8)], []],
    ['goes on when new pods are available', rolling(10, 3, 2), set('r9', 5, 5), [set('r1', 8)], [['r1', 3]]],
    ['takes unavailable pods first', rolling(10, 0, 2), set('r9', 0, 0), [set('r1', 6), set('r2', 4, 2)], [['r2', 2]]],
    [
      'takes unavailable pods, then the oldest',
      rolling(10, 3, 2),
      set('r9', 2, 2),
      [set('r1', 5), set('r2', 6, 5)],
      [
        ['r2', 5],
        ['r1', 1],
      ],
    ],
    ['waits for the status of a set that was just shrunk', rolling(3, 1, 0), set('r9', 2, 2), [set('r1', 2, 3)], []],
    ['has nothing to do without old pods', rolling(10, 3, 2), set('r9', 10), [set('r1', 0)], []],
  ] as const)
    it(what, () => assert.deepEqual(sizes(scaleOld(deployment, current, old)), expected));
});

describe('scaleToReplicas', () => {
  for (const [what, deployment, current, old, expected] of [
    ['scales the only active one', rolling(5), set('r2', 0), [set('r1', 3)], [['r1', 5]]],
    ['scales the current one if none is active', rolling(5), set('r2', 0), [set('r1', 0)], [['r2', 5]]],
    [
      'scales the newest old one without a current one',
      rolling(5),
      undefined,
      [set('r1', 0), set('r2', 0)],
      [['r2', 5]],
    ],
    [
      'shares in proportion to the sizes',
      rolling(20, 0, 1),
      set('r2', 5, 5, 10),
      [set('r1', 5, 5, 10)],
      [
        ['r2', 10],
        ['r1', 10],
      ],
    ],
    [
      'gives what is left over to the largest',
      rolling(13, 0, 1),
      set('r2', 3, 3, 10),
      [set('r1', 7, 7, 10)],
      [
        ['r1', 9],
        ['r2', 4],
      ],
    ],
    [
      'removes all pods with 0 replicas',
      rolling(0, 1, 1),
      set('r2', 3, 3, 10),
      [set('r1', 7, 7, 10)],
      [
        ['r1', 0],
        ['r2', 0],
      ],
    ],
  ] as const)
    it(what, () => assert.deepEqual(sizes(scaleToReplicas(deployment, { current, old })), expected));

  it('removes old pods when the current ReplicaSet is complete', () => {
    const annotations = { 'deployment.kubernetes.io/desired-replicas': '5' };
    const current = replicaSetWith('r2', 5, { status: { availableReplicas: 5 }, annotations });
    assert.deepEqual(sizes(scaleToReplicas(rolling(5, 1, 1), { current, old: [set('r1', 2)] })), [['r1', 0]]);
  });
});

describe('isScaled', () => {
  const annotated = (desired: string) =>
    replicaSetWith('r1', 3, { annotations: { 'deployment.kubernetes.io/desired-replicas': desired } });
  it('compares with the size in the annotation of active ReplicaSets', () => {
    assert.equal(isScaled(rolling(5), [annotated('3')]), true);
    assert.equal(isScaled(rolling(3), [annotated('3')]), false);
    assert.equal(isScaled(rolling(5), [set('r1', 3)]), false);
    assert.equal(isScaled(rolling(5), [{ ...annotated('3'), spec: { replicas: 0 } }]), false);
  });
});
