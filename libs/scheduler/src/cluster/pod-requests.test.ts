import assert from 'node:assert/strict';
import type { Container, PodSpec, PodStatus } from '@apichain/api/core/v1';
import { testPod, testPodInfo } from './objects.fixture.ts';
import { podRequests } from './pod-requests.ts';

const container = (cpu: string, restartPolicy?: string, name = 'main'): Container => ({
  name,
  resources: { requests: { cpu } },
  ...(restartPolicy === undefined ? {} : { restartPolicy }),
});

const cases: readonly (readonly [string, PodSpec, number])[] = [
  ['the sum of the containers', { containers: [container('1'), container('500m')] }, 1_500],
  [
    'the largest init container, if it is larger',
    { initContainers: [container('3'), container('2')], containers: [container('1')] },
    3_000,
  ],
  [
    'sidecars beside the containers',
    { initContainers: [container('1', 'Always')], containers: [container('1')] },
    2_000,
  ],
  [
    'an init container beside the sidecars before it',
    { initContainers: [container('1', 'Always'), container('3')], containers: [container('1')] },
    4_000,
  ],
  [
    'an init container without the sidecars after it',
    { initContainers: [container('3'), container('1', 'Always')], containers: [container('1')] },
    3_000,
  ],
  ['overhead', { containers: [container('1')], overhead: { cpu: '250m' } }, 1_250],
  [
    'requests for the whole pod',
    { containers: [container('1')], resources: { requests: { cpu: '2' } }, overhead: { cpu: '1' } },
    3_000,
  ],
];

describe('podRequests', () => {
  for (const [title, spec, expected] of cases)
    it(`counts ${title}`, () => assert.equal(podRequests(testPod('p', { spec })).get('cpu'), expected));

  it('counts what a resize in place has not given back yet', () => {
    const resized = (conditions: PodStatus['conditions']) =>
      testPod('p', {
        spec: { containers: [container('1')] },
        status: {
          conditions: conditions ?? [],
          containerStatuses: [
            { name: 'main', resources: { requests: { cpu: '2' } }, allocatedResources: { cpu: '1500m' } },
          ],
        },
      });
    const cpu = (pod: ReturnType<typeof testPod>, useStatus: boolean) => podRequests(pod, { useStatus }).get('cpu');
    assert.equal(cpu(resized([]), true), 2_000);
    assert.equal(cpu(resized([]), false), 1_000);
    const large = resized([{ type: 'PodResizePending', status: 'True', reason: 'Infeasible' }]);
    large.spec = { containers: [container('8')] };
    assert.equal(cpu(large, true), 2_000);
    large.status = { ...large.status, conditions: [{ type: 'PodResizePending', status: 'True', reason: 'Deferred' }] };
    assert.equal(cpu(large, true), 8_000);
  });

  it('counts containers without requests with a minimum when nodes are scored', () => {
    assert.deepEqual(testPodInfo('p').nonZero, { milliCPU: 100, memory: 200 * 1024 * 1024 });
    assert.equal(testPodInfo('p', { requests: { cpu: '1' } }).nonZero.milliCPU, 1_000);
    const podLevel = testPodInfo('p', {
      spec: { containers: [container('0')], resources: { requests: { cpu: '2' } } },
    });
    assert.deepEqual(podLevel.nonZero, { milliCPU: 2_000, memory: 200 * 1024 * 1024 });
  });
});
