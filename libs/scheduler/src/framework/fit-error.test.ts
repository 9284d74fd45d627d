import assert from 'node:assert/strict';
import { type Diagnosis, fitMessage, unmentioned } from './fit-error.ts';
import { unresolvable, unschedulable, type Rejection } from './status.ts';

const diagnosis = (nodes: readonly Rejection[], more: Partial<Diagnosis> = {}) => ({
  allNodes: nodes.length,
  rejections: new Map(nodes.map((rejection, index) => [`n${index}`, { ...rejection, plugin: 'P' }])),
  others: unmentioned,
  preFilterMessage: '',
  ...more,
});

describe('the message of a pod that fits no node', () => {
  it('counts the reasons, sorted as texts', () => {
    const nodes = [
      unschedulable('Insufficient cpu', 'Insufficient memory'),
      unschedulable('Insufficient cpu'),
      unresolvable('node(s) were unschedulable'),
    ];
    assert.equal(
      fitMessage(diagnosis(nodes)),
      '0/3 nodes are available: 1 Insufficient memory, 1 node(s) were unschedulable, 2 Insufficient cpu.',
    );
  });

  it('adds what came of the search for pods to preempt', () => {
    assert.equal(
      fitMessage(diagnosis([unschedulable('Too many pods')]), 'no new claims to deallocate, preemption: none'),
      '0/1 nodes are available: 1 Too many pods. no new claims to deallocate, preemption: none',
    );
  });

  it('says of nodes that were not looked at what holds for all of them', () => {
    const others = unresolvable('not asked');
    assert.equal(
      fitMessage(diagnosis([unschedulable('Too many pods')], { allNodes: 4, others })),
      '0/4 nodes are available: 1 Too many pods, 3 not asked.',
    );
  });

  it('says once why the pod was rejected before nodes were looked at', () => {
    assert.equal(
      fitMessage(
        diagnosis([], { allNodes: 3, preFilterMessage: 'claim not found', others: unresolvable('claim not found') }),
      ),
      '0/3 nodes are available: claim not found.',
    );
  });
});
