import assert from 'node:assert/strict';
import { intentionsOf } from './annotations.ts';
import { at, begin, podOf } from './life.fixture.ts';
import { newestResult } from './newest.ts';
import type { Situation } from './situation.ts';
import { nextPodStep } from './steps.ts';

const resultOf = (annotations: Readonly<Record<string, string>>) => {
  const pod = podOf({}, annotations);
  const situation: Situation = {
    pod,
    intentions: intentionsOf(pod),
    now: begin + 700,
    rejection: () => undefined,
    isPreempted: () => false,
    exitCodeOf: () => undefined,
    hostIP: '127.0.0.1',
    podIP: () => '10.244.0.2',
    momentOf: (time) => (time === undefined || time === null ? begin + 700 : Date.parse(time)),
  };
  return newestResult(situation, nextPodStep(situation) ?? assert.fail());
};

describe('the newest status of a pod', () => {
  it('is that of started containers when they start at once', () => {
    const { status, events } = resultOf({});
    assert.deepEqual([status.phase, status.startTime, status.podIP], ['Running', at(0), '10.244.0.2']);
    assert.deepEqual(
      events.map(({ reason }) => reason),
      ['Pulled', 'Created', 'Started'],
    );
  });

  it('is that of waiting containers when they start later', () => {
    const { status, events } = resultOf({ start: '500ms' });
    assert.deepEqual([status.phase, events], ['Pending', []]);
    assert.equal(status.containerStatuses?.[0]?.state?.waiting?.reason, 'ContainerCreating');
  });
});
