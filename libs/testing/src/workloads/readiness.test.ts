import assert from 'node:assert/strict';
import { progressOf } from './readiness.ts';

const workload = (kind: string, spec: object, status: object, generation = 2) => ({
  ...{ apiVersion: 'v1', kind, metadata: { name: 'a', generation } },
  ...{ spec, status },
});
const condition = (type: string, status: string, reason = type, message = '') => ({ type, status, reason, message });

describe('progressOf', () => {
  const cases: readonly (readonly [what: string, object: ReturnType<typeof workload>, expected: string])[] = [
    [
      'a deployment that is available',
      workload(
        'Deployment',
        { replicas: 2 },
        { observedGeneration: 2, replicas: 2, updatedReplicas: 2, availableReplicas: 2 },
      ),
      'ready',
    ],
    [
      'one that nobody has looked at',
      workload('Deployment', { replicas: 2 }, { observedGeneration: 1 }),
      'waiting its controller has not seen the last change',
    ],
    [
      'one with old pods',
      workload(
        'Deployment',
        { replicas: 2 },
        { observedGeneration: 2, replicas: 3, updatedReplicas: 2, availableReplicas: 2 },
      ),
      'waiting 1 old replicas are still there',
    ],
    [
      'one that does not progress',
      workload(
        'Deployment',
        {},
        { conditions: [condition('Progressing', 'False', 'ProgressDeadlineExceeded', 'too slow')] },
      ),
      'failed ProgressDeadlineExceeded: too slow',
    ],
    [
      'a stateful set in an update',
      workload(
        'StatefulSet',
        { replicas: 3 },
        { replicas: 3, readyReplicas: 3, updatedReplicas: 1, updateRevision: 'b', currentRevision: 'a' },
      ),
      'waiting updatedReplicas is 1 of 3',
    ],
    [
      'one with a partition',
      workload(
        'StatefulSet',
        { replicas: 3, updateStrategy: { rollingUpdate: { partition: 2 } } },
        { replicas: 3, readyReplicas: 3, updatedReplicas: 1, updateRevision: 'b', currentRevision: 'a' },
      ),
      'ready',
    ],
    [
      'a daemon set',
      workload('DaemonSet', {}, { desiredNumberScheduled: 3, updatedNumberScheduled: 3, numberAvailable: 2 }),
      'waiting numberAvailable is 2 of 3',
    ],
    ['a job', workload('Job', { completions: 4 }, { succeeded: 1 }), 'waiting 1 of 4 pods have succeeded'],
    [
      'a job that has failed',
      workload('Job', {}, { conditions: [condition('Failed', 'True', 'BackoffLimitExceeded')] }),
      'failed BackoffLimitExceeded',
    ],
    [
      'a pod without a node',
      workload(
        'Pod',
        {},
        { phase: 'Pending', conditions: [condition('PodScheduled', 'False', 'Unschedulable', 'no room')] },
      ),
      'waiting phase Pending, Unschedulable: no room',
    ],
    ['a custom resource', workload('Widget', {}, { conditions: [condition('Ready', 'True')] }), 'ready'],
    ['one that says nothing', workload('Widget', {}, {}), 'waiting it has no condition Ready or Available'],
  ];
  for (const [what, object, expected] of cases)
    it(`knows ${what}`, () => {
      const progress = progressOf(object);
      assert.equal([progress.state, ...('why' in progress ? [progress.why] : [])].join(' '), expected);
    });
});
