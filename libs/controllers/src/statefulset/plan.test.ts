import assert from 'node:assert/strict';
import type { StatefulSet } from '@apichain/api/apps/v1';
import type { PersistentVolumeClaim, Pod } from '@apichain/api/core/v1';
import { podWith, statefulSetWith, templateWith } from '../workloads/objects.fixture.ts';
import { claimOwners } from './claim-owners.ts';
import { podOf } from './identity.ts';
import { type Phase, type StatefulSetState, planStep } from './plan.ts';
import { statefulSetStatus } from './status.ts';

const now = Date.parse('2026-01-02T00:00:00Z');
const ready = '2026-01-01T00:00:00Z';
const current = { name: 'db-old', template: templateWith('a:1') };
const update = { name: 'db-new', template: templateWith('a:2') };

const pod = (ordinal: number, revision = 'db-new', more: Parameters<typeof podWith>[1] = {}): Pod => {
  const name = `db-${ordinal}`;
  const labels = { 'statefulset.kubernetes.io/pod-name': name, 'controller-revision-hash': revision };
  return podWith(name, { labels, ready, ...more });
};
const unready = (ordinal: number, revision = 'db-new', phase = 'Pending') => {
  const { status: _, ...rest } = pod(ordinal, revision);
  return { ...rest, status: { phase } };
};
const state = (
  set: StatefulSet,
  pods: readonly Pod[],
  claims: readonly PersistentVolumeClaim[] = [],
): StatefulSetState => ({
  ...{ set, pods, current, update, now },
  claim: (name) => claims.find(({ metadata }) => metadata.name === name),
});
const actionsOf = (phases: readonly Phase[]) =>
  phases.flat(2).map(({ type, pod: { metadata } }) => `${type} ${metadata.name}`);
const plan = (spec: NonNullable<StatefulSet['spec']>, pods: readonly Pod[]) =>
  actionsOf(planStep(state(statefulSetWith(spec), pods)));
const parallel = { podManagementPolicy: 'Parallel' };
const rolling = (rollingUpdate: object) => ({ updateStrategy: { type: 'RollingUpdate', rollingUpdate } });

describe('planStep', () => {
  const rows: readonly (readonly [string, NonNullable<StatefulSet['spec']>, readonly Pod[], readonly string[]])[] = [
    ['creates the first pod', {}, [], ['create db-0']],
    ['waits for a pod that is not ready', {}, [pod(0), unready(1, 'db-new', 'Running')], []],
    ['creates claims of a pending pod', {}, [pod(0), unready(1)], ['createClaims db-1']],
    ['creates the next when all before are ready', {}, [pod(0)], ['create db-1']],
    ['waits for a pod that is going', {}, [pod(0), pod(1, 'db-new', { isDeleted: true }), pod(2)], []],
    ['replaces a failed pod', {}, [pod(0, 'db-new', { phase: 'Failed' }), pod(1), pod(2)], ['delete db-0']],
    ['creates all at once with Parallel', parallel, [pod(1)], ['create db-0', 'create db-2']],
    ['starts with another ordinal', { ordinals: { start: 5 } }, [pod(5)], ['create db-6']],
    ['removes the last first', { replicas: 1 }, [pod(0), pod(1), pod(2)], ['delete db-2']],
    ['removes nothing before all are ready', { replicas: 2 }, [pod(0), unready(1), pod(2)], ['createClaims db-1']],
    ['removes a broken pod itself', { replicas: 2 }, [pod(0), pod(1), unready(2)], ['delete db-2']],
    ['waits for another broken pod', { replicas: 1 }, [pod(0), unready(1), unready(2)], []],
    [
      'removes all at once with Parallel',
      { ...parallel, replicas: 1 },
      [pod(0), pod(1), pod(2)],
      ['delete db-2', 'delete db-1'],
    ],
    ['updates the last pod', {}, [pod(0, 'db-old'), pod(1, 'db-old'), pod(2, 'db-old')], ['delete db-2']],
    ['updates the next when it is available', {}, [pod(0, 'db-old'), pod(1, 'db-old'), pod(2)], ['delete db-1']],
    ['stops at the partition', rolling({ partition: 2 }), [pod(0, 'db-old'), pod(1, 'db-old'), pod(2)], []],
    [
      'updates several that may be unavailable',
      rolling({ partition: 0, maxUnavailable: 2 }),
      [pod(0, 'db-old'), pod(1, 'db-old'), pod(2, 'db-old')],
      ['delete db-2', 'delete db-1'],
    ],
    [
      'counts those that are unavailable',
      { ...parallel, ...rolling({ partition: 0, maxUnavailable: 2 }) },
      [pod(0, 'db-old'), pod(1, 'db-old'), unready(2, 'db-new', 'Running')],
      ['delete db-1'],
    ],
    ['updates nothing with OnDelete', { updateStrategy: { type: 'OnDelete' } }, [pod(0, 'db-old'), pod(1), pod(2)], []],
    ['repairs labels', {}, [podWith('db-0', { ready }), pod(1), pod(2)], ['repair db-0', 'delete db-0']],
  ];
  for (const [what, spec, pods, expected] of rows) it(what, () => assert.deepEqual(plan(spec, pods), expected));

  it('does nothing while the set is being deleted', () => {
    const set = statefulSetWith({});
    const going = { ...set, metadata: { ...set.metadata, deletionTimestamp: ready } };
    assert.deepEqual(planStep(state(going, [])), []);
  });

  it('gives new pods the former template below the partition', () => {
    const phases = planStep(state(statefulSetWith({ ...parallel, ...rolling({ partition: 2 }) }), []));
    const images = phases.flat(2).map(({ pod: { spec } }) => spec?.containers?.[0]?.image);
    assert.deepEqual(images, ['a:1', 'a:1', 'a:2']);
  });
});

describe('claims of a pod', () => {
  const template = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'data', labels: { a: 'b' } } };
  const set = (whenScaled: string, whenDeleted: string, replicas = 3) =>
    statefulSetWith({
      replicas,
      selector: { matchLabels: { app: 'web' } },
      volumeClaimTemplates: [template],
      persistentVolumeClaimRetentionPolicy: { whenScaled, whenDeleted },
    });
  const owner = (kind: string, name: string, uid: string) => ({
    ...{ apiVersion: kind === 'Pod' ? 'v1' : 'apps/v1', kind, name, uid, controller: true, blockOwnerDeletion: true },
  });
  const setOwner = owner('StatefulSet', 'db', 's');
  const podOwner = owner('Pod', 'db-1', 'uid of db-1');
  const claim = (...ownerReferences: ReturnType<typeof owner>[]): PersistentVolumeClaim => ({
    ...template,
    metadata: { name: 'data-db-1', ownerReferences },
  });

  it('are volumes of the pod', () => {
    const made = podOf(set('Retain', 'Retain'), templateWith('a'), 'db-new', 1);
    assert.deepEqual(made.spec?.volumes, [{ name: 'data', persistentVolumeClaim: { claimName: 'data-db-1' } }]);
  });
  for (const [whenScaled, whenDeleted, replicas, expected] of [
    ['Retain', 'Retain', 3, undefined],
    ['Retain', 'Delete', 3, [setOwner]],
    ['Retain', 'Delete', 1, [setOwner]],
    ['Delete', 'Retain', 3, undefined],
    ['Delete', 'Retain', 1, [podOwner]],
    ['Delete', 'Delete', 3, [setOwner]],
    ['Delete', 'Delete', 1, [podOwner]],
  ] as const)
    it(`belong to their owners: scaled ${whenScaled}, deleted ${whenDeleted}, ${replicas} replicas`, () => {
      assert.deepEqual(claimOwners(set(whenScaled, whenDeleted, replicas), claim(), pod(1)), expected);
      if (expected !== undefined)
        assert.equal(claimOwners(set(whenScaled, whenDeleted, replicas), claim(...expected), pod(1)), undefined);
    });
  it('lose their owners when the policy changes', () =>
    assert.deepEqual(claimOwners(set('Retain', 'Retain'), claim(setOwner), pod(1)), []));
  it('are left alone if they are those of a former set, or controlled by something else', () => {
    assert.equal(claimOwners(set('Delete', 'Delete'), claim(owner('StatefulSet', 'db', 'former')), pod(1)), undefined);
    assert.equal(claimOwners(set('Delete', 'Delete'), claim(owner('Other', 'x', 'x')), pod(1)), undefined);
  });
});

describe('statefulSetStatus', () => {
  it('counts pods by revision', () => {
    const set = statefulSetWith({ minReadySeconds: 10 });
    const pods = [pod(0, 'db-old'), pod(1, 'db-new', { ready: '2026-01-01T23:59:55Z' }), unready(2)];
    assert.deepEqual(statefulSetStatus(state(set, pods), 0, 0), {
      ...{ observedGeneration: 1, replicas: 3, readyReplicas: 2, availableReplicas: 1, currentReplicas: 1 },
      ...{ updatedReplicas: 2, currentRevision: 'db-old', updateRevision: 'db-new', collisionCount: 0 },
    });
  });
  it('makes the new revision the current one when all pods have it and are ready', () => {
    const status = statefulSetStatus(state(statefulSetWith({}), [pod(0), pod(1), pod(2)]), 0, 0);
    assert.deepEqual([status.currentRevision, status.currentReplicas], ['db-new', 3]);
  });
});
