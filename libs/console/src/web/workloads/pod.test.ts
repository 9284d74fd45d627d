import assert from 'node:assert/strict';
import { podOf } from './pod.ts';
import type { Fields, StoredObject } from '../api/stored-object.ts';

const ready = { conditions: [{ type: 'Ready', status: 'True' }] };
const running = { ready: true, restartCount: 0, state: { running: {} } };
const pod = (status: Fields, spec: Fields = {}, metadata: object = {}): StoredObject => ({
  metadata: { name: 'web-1', namespace: 'shop', ...metadata },
  spec: { nodeName: 'node-1', containers: [{ name: 'main' }], ...spec },
  status,
});
const waiting = (reason: string) => ({ restartCount: 4, state: { waiting: { reason } } });
const terminated = (fields: object) => ({ state: { terminated: fields } });

describe('the pods of the page', () => {
  it('have the STATUS of kubectl, and a mood', () => {
    const initContainers = [{ name: 'first' }, { name: 'second' }];
    const cases = [
      [pod({ phase: 'Pending' }), 'Pending', 'warn'],
      [pod({ phase: 'Running', ...ready, containerStatuses: [running] }), 'Running', 'good'],
      [pod({ phase: 'Running', containerStatuses: [running] }), 'Running', 'warn'],
      [pod({ phase: 'Pending', containerStatuses: [waiting('ContainerCreating')] }), 'ContainerCreating', 'warn'],
      [pod({ phase: 'Pending', containerStatuses: [waiting('ErrImagePull')] }), 'ErrImagePull', 'bad'],
      [pod({ phase: 'Running', containerStatuses: [waiting('CrashLoopBackOff')] }), 'CrashLoopBackOff', 'bad'],
      [pod({ phase: 'Failed', reason: 'Evicted' }), 'Evicted', 'bad'],
      [pod({ phase: 'Failed', containerStatuses: [terminated({ exitCode: 3 })] }), 'ExitCode:3', 'bad'],
      [pod({ phase: 'Failed', containerStatuses: [terminated({ signal: 9, exitCode: 137 })] }), 'Signal:9', 'bad'],
      [
        pod({ phase: 'Succeeded', containerStatuses: [terminated({ reason: 'Completed', exitCode: 0 })] }),
        ...(['Completed', 'plain'] as const),
      ],
      [
        pod({
          ...{ phase: 'Running', ...ready },
          containerStatuses: [terminated({ reason: 'Completed', exitCode: 0 }), running],
        }),
        ...(['Running', 'good'] as const),
      ],
      [
        pod({ phase: 'Running', containerStatuses: [terminated({ reason: 'Completed', exitCode: 0 }), running] }),
        ...(['NotReady', 'warn'] as const),
      ],
      [
        pod({ phase: 'Running', ...ready }, {}, { deletionTimestamp: '2030-01-01T00:00:00Z' }),
        ...(['Terminating', 'warn'] as const),
      ],
      [
        pod({ phase: 'Running', reason: 'NodeLost' }, {}, { deletionTimestamp: '2030-01-01T00:00:00Z' }),
        ...(['Unknown', 'bad'] as const),
      ],
      [
        pod({
          ...{ phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] },
        }),
        ...(['SchedulingGated', 'warn'] as const),
      ],
      [
        pod(
          {
            phase: 'Pending',
            initContainerStatuses: [
              { name: 'first', ...terminated({ exitCode: 0 }) },
              { name: 'second', ...waiting('PodInitializing') },
            ],
          },
          { initContainers },
        ),
        ...(['Init:1/2', 'warn'] as const),
      ],
      [
        pod(
          {
            phase: 'Pending',
            initContainerStatuses: [{ name: 'first', ...terminated({ exitCode: 1, reason: 'Error' }) }],
          },
          { initContainers },
        ),
        ...(['Init:Error', 'bad'] as const),
      ],
    ] as const;
    for (const [object, status, mood] of cases)
      assert.deepEqual([podOf(object).status, podOf(object).mood], [status, mood], JSON.stringify(object.status));
  });

  it('count containers and sidecars, and their restarts', () => {
    const sidecar = { name: 'proxy', restartPolicy: 'Always' };
    const { readyContainers, containers, restarts } = podOf(
      pod(
        {
          ...{
            phase: 'Running',
            initContainerStatuses: [{ name: 'proxy', started: true, ready: true, restartCount: 2 }],
          },
          containerStatuses: [waiting('CrashLoopBackOff')],
        },
        { initContainers: [sidecar] },
      ),
    );
    assert.deepEqual([readyContainers, containers, restarts], [1, 2, 6]);
  });

  it('take of their node what the scheduler counts', () => {
    const of = (cpu: string, memory: string) => ({ resources: { requests: { cpu, memory } } });
    const taken = (spec: Fields, phase = 'Running') => {
      const { cpu, memory } = podOf(pod({ phase }, spec));
      return [cpu, memory / 2 ** 20];
    };
    const containers = [of('250m', '64Mi'), of('250m', '64Mi')];
    assert.deepEqual(taken({ containers }), [0.5, 128]);
    assert.deepEqual(taken({ containers }, 'Succeeded'), [0, 0]);
    // An init container runs beside the sidecars that have started before it.
    const initContainers = [{ restartPolicy: 'Always', ...of('1', '32Mi') }, of('2', '16Mi')];
    assert.deepEqual(taken({ containers, initContainers }), [3, 160]);
    assert.deepEqual(taken({ containers, overhead: { cpu: '100m' } }), [0.6, 128]);
    assert.deepEqual(taken({ containers, resources: { requests: { cpu: '3' } } }), [3, 128]);
  });
});
