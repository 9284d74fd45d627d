import assert from 'node:assert/strict';
import { type Clock, withClock } from '@apichain/meta';
import { testPod } from './cluster/objects.fixture.ts';
import { statusPatch } from './pod-status.ts';

const clock: Clock = { now: () => Date.parse('2026-01-02T03:04:05Z'), setTimer: () => () => undefined };
const patchOf = (...args: Parameters<typeof statusPatch>) => withClock(clock, () => statusPatch(...args));

const rejected = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'no room' };
const old = { ...rejected, lastProbeTime: null, lastTransitionTime: '2025-01-01T00:00:00Z' };

describe('statusPatch', () => {
  it('adds a condition', () => {
    assert.deepEqual(patchOf(testPod('p', { status: { conditions: [{ type: 'Other' }] } }), { condition: rejected }), {
      status: {
        '$setElementOrder/conditions': [{ type: 'Other' }, { type: 'PodScheduled' }],
        conditions: [
          { ...rejected, observedGeneration: 1, lastProbeTime: null, lastTransitionTime: '2026-01-02T03:04:05Z' },
        ],
      },
    });
  });

  it('keeps the time of the transition when only the message changes', () => {
    const pod = testPod('p', { status: { conditions: [old] } });
    const patch = patchOf(pod, { condition: { ...rejected, message: 'still no room' } });
    const { conditions } = patch?.status as { conditions: readonly { lastTransitionTime: string }[] };
    assert.equal(conditions[0]?.lastTransitionTime, old.lastTransitionTime);
  });

  it('writes nothing that is there already', () => {
    const pod = testPod('p', { status: { conditions: [old], nominatedNodeName: 'n1' } });
    assert.equal(patchOf(pod, { condition: rejected }), undefined);
    assert.equal(patchOf(pod, { condition: rejected, nominatedNodeName: 'n1' }), undefined);
    assert.equal(patchOf(testPod('p'), { nominatedNodeName: '' }), undefined);
  });

  it('sets and clears the nominated node', () => {
    assert.deepEqual(patchOf(testPod('p'), { nominatedNodeName: 'n1' }), { status: { nominatedNodeName: 'n1' } });
    const nominated = testPod('p', { status: { nominatedNodeName: 'n1' } });
    assert.deepEqual(patchOf(nominated, { nominatedNodeName: '' }), { status: { nominatedNodeName: null } });
  });
});
