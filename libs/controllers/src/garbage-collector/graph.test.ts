import assert from 'node:assert/strict';
import type { ObjectMeta, OwnerReference } from '@apichain/meta';
import { DependencyGraph } from './graph.ts';
import type { Identity } from './identity.ts';

const identity = (name: string, namespace = 'here', kind = 'ConfigMap'): Identity => ({
  apiVersion: 'v1',
  kind,
  name,
  uid: `uid-${name}`,
  namespace,
});
const reference = (name: string, more: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name,
  uid: `uid-${name}`,
  ...more,
});
const ownedBy = (...ownerReferences: OwnerReference[]): ObjectMeta => ({ resourceVersion: '1', ownerReferences });
const deleting = (finalizer: string): ObjectMeta => ({ deletionTimestamp: 'now', finalizers: [finalizer] });

describe('DependencyGraph', () => {
  let asked: string[];
  let graph: DependencyGraph;
  const takeAsked = () => asked.splice(0);

  beforeEach(() => {
    asked = [];
    graph = new DependencyGraph({
      attemptToDelete: ({ identity: { name } }) => asked.push(`delete ${name}`),
      attemptToDeleteLater: ({ identity: { name, kind } }) => asked.push(`delete later ${kind} ${name}`),
      attemptToOrphan: ({ identity: { name } }) => asked.push(`orphan ${name}`),
      invalidNamespace: ({ identity: { name } }, owner) => asked.push(`namespace ${name} ${owner.name}`),
    });
  });

  it('queues an unobserved owner, and its dependents once it is confirmed absent', () => {
    graph.observe(identity('child'), ownedBy(reference('owner')));
    assert.deepEqual(takeAsked(), ['delete owner']);
    graph.confirmAbsent(identity('owner'));
    assert.deepEqual(takeAsked(), ['delete child']);
    assert.ok(graph.absentOwners.has(reference('owner'), 'here'));
    assert.ok(!graph.absentOwners.has(reference('owner'), 'elsewhere'));
  });

  it('queues the dependents of a deleted owner', () => {
    graph.observe(identity('owner'), {});
    graph.observe(identity('child'), ownedBy(reference('owner')));
    assert.deepEqual(takeAsked(), []);
    graph.remove(identity('owner'));
    assert.deepEqual(takeAsked(), ['delete child']);
  });

  it('queues all dependents on foreground deletion, and the owner when a dependent is deleted or unblocks it', () => {
    graph.observe(identity('owner'), {});
    graph.observe(identity('one'), ownedBy(reference('owner', { blockOwnerDeletion: true })));
    graph.observe(identity('two'), ownedBy(reference('owner', { blockOwnerDeletion: true })));
    graph.observe(identity('owner'), deleting('foregroundDeletion'), {});
    assert.deepEqual(takeAsked(), ['delete one', 'delete two', 'delete owner']);
    graph.observe(identity('late'), ownedBy(reference('owner', { blockOwnerDeletion: true })));
    assert.deepEqual(takeAsked(), ['delete late']);
    graph.remove(identity('one'));
    graph.remove(identity('late'));
    assert.deepEqual(takeAsked(), ['delete owner', 'delete owner']);
    assert.equal(graph.get('uid-owner')?.hasBlockingDependents(), true);
    graph.observe(identity('two'), ownedBy(reference('owner', { blockOwnerDeletion: false })));
    assert.deepEqual(takeAsked(), ['delete owner']);
    assert.equal(graph.get('uid-owner')?.hasBlockingDependents(), false);
  });

  it('orphans the dependents of an owner deleted with Orphan, once', () => {
    graph.observe(identity('owner'), {});
    graph.observe(identity('owner'), deleting('orphan'), {});
    graph.observe(identity('owner'), deleting('orphan'), deleting('orphan'));
    assert.deepEqual(takeAsked(), ['orphan owner']);
  });

  it('reports a dependent whose owner is in another namespace, whichever is seen first', () => {
    graph.observe(identity('owner', 'there'), {});
    graph.observe(identity('child'), ownedBy(reference('owner')));
    assert.deepEqual(takeAsked(), ['namespace child owner', 'delete child']);
    graph.observe(identity('early'), ownedBy(reference('second')));
    graph.observe(identity('second', 'there'), {});
    assert.deepEqual(takeAsked(), ['delete second', 'namespace early second', 'delete early']);
  });

  it('tries another identity of an owner with conflicting references', () => {
    graph.observe(identity('right'), ownedBy(reference('owner')));
    graph.observe(identity('wrong'), ownedBy(reference('owner', { kind: 'Secret' })));
    assert.deepEqual(takeAsked(), ['delete owner', 'delete wrong']);
    graph.confirmAbsent(identity('owner'));
    assert.deepEqual(takeAsked(), ['delete right', 'delete later Secret owner']);
    graph.confirmAbsent({ ...identity('owner'), kind: 'Secret' });
    assert.deepEqual(takeAsked().sort(), ['delete later ConfigMap owner', 'delete wrong']);
  });

  it('finds the owners of a long list that are no longer blocked without comparing all of them', () => {
    const count = 2_000;
    let reads = 0;
    const owners = (blockOwnerDeletion: boolean) =>
      Array.from({ length: count }, (_, i) => ({
        ...reference(`o${i}`, { blockOwnerDeletion }),
        get uid() {
          reads++;
          return `uid-o${i}`;
        },
      }));
    graph.observe(identity('child'), ownedBy(...owners(true)));
    takeAsked();
    reads = 0;
    graph.observe(identity('child'), ownedBy(...owners(true).reverse()));
    assert.deepEqual(takeAsked(), []);
    graph.observe(identity('child'), ownedBy(...owners(false)));
    assert.equal(takeAsked().length, count);
    assert.ok(reads < 50 * count, `${reads} reads of ${count} uids`);
  });
});
