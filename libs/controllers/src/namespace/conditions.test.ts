import assert from 'node:assert/strict';
import { type DeletionFindings, updatedConditions } from './conditions.ts';

const nothing: DeletionFindings = { discoveryErrors: [], contentErrors: [], remaining: [], finalizers: new Map() };

describe('updatedConditions', () => {
  it('sets all conditions to False after a complete pass, once', () => {
    const conditions = updatedConditions([], nothing) ?? [];
    assert.deepEqual(
      conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`),
      [
        'NamespaceDeletionDiscoveryFailure False ResourcesDiscovered',
        'NamespaceDeletionGroupVersionParsingFailure False ParsedGroupVersions',
        'NamespaceDeletionContentFailure False ContentDeleted',
        'NamespaceContentRemaining False ContentRemoved',
        'NamespaceFinalizersRemaining False ContentHasNoFinalizers',
      ],
    );
    assert.equal(updatedConditions(conditions, nothing), undefined);
  });

  it('reports remaining content in a stable order, and keeps the time of an unchanged status', () => {
    const lastTransitionTime = '2020-01-01T00:00:00Z';
    const before = { type: 'NamespaceContentRemaining', status: 'True', lastTransitionTime } as const;
    const other = { type: 'Other', status: 'True' } as const;
    const conditions = updatedConditions([other, before], {
      ...nothing,
      contentErrors: ['b', 'a'],
      remaining: [
        { resource: { group: '', version: 'v1', resource: 'pods' }, count: 2 },
        { resource: { group: 'apps', version: 'v1', resource: 'deployments' }, count: 1 },
      ],
      finalizers: new Map([['x/y', 3]]),
    });
    const messages = new Map(conditions?.map(({ type, message }) => [type, message]));
    assert.equal(
      messages.get('NamespaceContentRemaining'),
      'Some resources are remaining: deployments.apps has 1 resource instances, pods. has 2 resource instances',
    );
    assert.equal(
      messages.get('NamespaceFinalizersRemaining'),
      'Some content in the namespace has finalizers remaining: x/y in 3 resource instances',
    );
    assert.equal(
      messages.get('NamespaceDeletionContentFailure'),
      'Failed to delete all resource types, 2 remaining: a, b',
    );
    assert.deepEqual(conditions?.[0], other);
    assert.equal(conditions?.[1]?.lastTransitionTime, lastTransitionTime);
  });
});
