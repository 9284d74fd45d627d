import assert from 'node:assert/strict';
import { deploymentWith, replicaSetWith } from '../workloads/objects.fixture.ts';
import { annotationsAfterRollback, currentAnnotations, lastRevision, maxRevision } from './revision.ts';

const revision = 'deployment.kubernetes.io/revision';
const history = 'deployment.kubernetes.io/revision-history';
const deployment = deploymentWith(
  {},
  {
    metadata: {
      name: 'web',
      annotations: { team: 'a', [revision]: '3', 'kubectl.kubernetes.io/last-applied-configuration': '{}' },
    },
  },
);

describe('currentAnnotations', () => {
  it('copies annotations of the Deployment, except those that are its own', () =>
    assert.deepEqual(currentAnnotations(deployment, {}, 1n), { team: 'a', [revision]: '1' }));
  it('keeps a higher revision', () =>
    assert.deepEqual(currentAnnotations(deployment, { [revision]: '5' }, 4n), { team: 'a', [revision]: '5' }));
  it('remembers earlier revisions after a rollback', () => {
    const once = currentAnnotations(deployment, { [revision]: '1' }, 3n);
    assert.deepEqual(once, { team: 'a', [revision]: '3', [history]: '1' });
    assert.equal(currentAnnotations(deployment, once, 5n)[history], '1,3');
  });
  it('drops the oldest revisions of a long history', () => {
    const long = Array.from({ length: 500 }, (_, i) => String(1000 + i)).join(',');
    const appended = currentAnnotations(deployment, { [revision]: '2000', [history]: long }, 2001n)[history] ?? '';
    assert.ok(appended.length <= 2000 && appended.endsWith(',1499,2000'));
  });
  it('counts on from a revision that only 64 bits hold', () => {
    const adopted = replicaSetWith('r1', 0, { annotations: { [revision]: '3546343826724305832' } });
    const next = maxRevision([adopted]) + 1n;
    assert.equal(currentAnnotations(deployment, {}, next)[revision], '3546343826724305833');
    assert.equal(currentAnnotations(deployment, { [revision]: String(next) }, next)[history], undefined);
  });
  it('leaves a revision that is not a number', () =>
    assert.equal(currentAnnotations(deployment, { [revision]: 'x' }, 4n)[revision], 'x'));
});

describe('revisions', () => {
  const sets = ['r1', 'r4', 'r3'].map((name) => replicaSetWith(name, 0));
  it('has the highest and the one before', () => assert.deepEqual([maxRevision(sets), lastRevision(sets)], [4n, 3n]));
  it('has none without ReplicaSets', () => assert.deepEqual([maxRevision([]), lastRevision([])], [0n, 0n]));
});

describe('annotationsAfterRollback', () => {
  it('restores those of the ReplicaSet', () => {
    const before = { team: 'b', [revision]: '4', 'deprecated.deployment.rollback.to': '1' };
    const target = { team: 'a', [revision]: '1', 'deployment.kubernetes.io/desired-replicas': '3' };
    assert.deepEqual(annotationsAfterRollback(before, target), { team: 'a', [revision]: '4' });
  });
});
