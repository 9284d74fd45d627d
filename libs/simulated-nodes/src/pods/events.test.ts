import assert from 'node:assert/strict';
import type { Pod } from '@apichain/api/core/v1';
import { podOf } from './life.fixture.ts';
import { StoppedPods } from './events.ts';

describe('StoppedPods', () => {
  const spec = { containers: ['main', 'done', 'waits'].map((name) => ({ name, image: 'a' })) };
  const running = (metadata: object = {}): Pod => ({
    ...podOf(spec, {}, metadata),
    status: {
      containerStatuses: [
        { name: 'main', state: { running: { startedAt: '2026-01-01T00:00:00Z' } } },
        { name: 'done', state: { terminated: { exitCode: 0 } } },
      ],
    },
  });
  const deleted = { deletionTimestamp: '2026-01-01T00:01:00Z' };
  const stop = {
    ...{ type: 'Normal', reason: 'Killing', message: 'Stopping container main' },
    fieldPath: 'spec.containers{main}',
  };

  it('tells once of each container that runs when the deletion of its pod begins', () => {
    const pods = new StoppedPods();
    assert.deepEqual(pods.changed(running()), []);
    assert.deepEqual(pods.changed(running(deleted)), [stop]);
    assert.deepEqual(pods.changed(running(deleted)), []);
    assert.deepEqual(pods.removed(running(deleted)), []);
  });

  it('tells of what runs when a pod is gone at once', () => {
    assert.deepEqual(new StoppedPods().removed(running()), [stop]);
  });

  it('tells nothing of a pod that never ran, until it does', () => {
    const pods = new StoppedPods();
    assert.deepEqual(pods.removed(podOf(spec)), []);
    assert.deepEqual(pods.changed(podOf(spec, {}, deleted)), []);
    assert.deepEqual(pods.changed(running(deleted)), [stop]);
  });
});
