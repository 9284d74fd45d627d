import assert from 'node:assert/strict';
import { podOf } from './life.fixture.ts';
import { eventsOfRemoval } from './removal.ts';

describe('eventsOfRemoval', () => {
  const spec = { containers: ['main', 'done', 'waits'].map((name) => ({ name, image: 'a' })) };

  it('tells of the containers that still run, once for each', () => {
    const pod = {
      ...podOf(spec),
      status: {
        containerStatuses: [
          { name: 'main', state: { running: { startedAt: '2026-01-01T00:00:00Z' } } },
          { name: 'done', state: { terminated: { exitCode: 0 } } },
        ],
      },
    };
    assert.deepEqual(eventsOfRemoval(pod), [
      { type: 'Normal', reason: 'Killing', message: 'Stopping container main', fieldPath: 'spec.containers{main}' },
    ]);
  });

  it('tells nothing of a pod that never ran', () => assert.deepEqual(eventsOfRemoval(podOf(spec)), []));
});
