import assert from 'node:assert/strict';
import { Life, podOf } from './life.fixture.ts';

const main = { name: 'main', image: 'nginx' };
const init = (name: string, more: object = {}) => ({ name, image: name, ...more });
const job = { ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'job', uid: 'job', controller: true }] };
const minute = 60_000;

interface Row {
  readonly what: string;
  readonly spec?: object;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly metadata?: object;
  /** Milliseconds. */
  readonly until: number;
  readonly trace: readonly string[];
}

const rows: readonly Row[] = [
  {
    what: 'starts and is ready at once',
    until: minute,
    trace: ['0 accept Pending main=ContainerCreating', '0 start Running main=ready'],
  },
  {
    what: 'is ready after the initial delay of its probe',
    spec: { containers: [{ ...main, readinessProbe: { initialDelaySeconds: 5 } }] },
    until: minute,
    trace: ['0 accept Pending main=ContainerCreating', '0 start Running main=running', '5000 ready Running main=ready'],
  },
  {
    what: 'has started after its startup probe',
    spec: { containers: [{ ...main, startupProbe: { initialDelaySeconds: 3 } }] },
    until: minute,
    trace: ['0 accept Pending main=ContainerCreating', '0 start Running main=running', '3000 ready Running main=ready'],
  },
  {
    what: 'is never ready',
    annotations: { ready: 'never' },
    until: minute,
    trace: ['0 accept Pending main=ContainerCreating', '0 start Running main=running'],
  },
  {
    what: 'starts and becomes ready later',
    annotations: { start: '2s', ready: '1500ms' },
    until: minute,
    trace: [
      '0 accept Pending main=ContainerCreating',
      '2000 start Running main=running',
      '3500 ready Running main=ready',
    ],
  },
  {
    what: 'never starts',
    annotations: { start: 'never' },
    until: minute,
    trace: ['0 accept Pending main=ContainerCreating'],
  },
  {
    what: 'runs init containers one after the other, then the others together',
    spec: { initContainers: [init('a'), init('b')], containers: [main, { name: 'second', image: 'x' }] },
    annotations: { 'after.a': '1s' },
    until: minute,
    trace: [
      '0 accept Pending a=PodInitializing b=PodInitializing main=PodInitializing second=PodInitializing',
      '0 start Pending a=running b=PodInitializing main=PodInitializing second=PodInitializing',
      '1000 exit Pending a=Completed(0) b=PodInitializing main=PodInitializing second=PodInitializing',
      '1000 start Pending a=Completed(0) b=running main=PodInitializing second=PodInitializing',
      '1000 exit Pending a=Completed(0) b=Completed(0) main=PodInitializing second=PodInitializing',
      '1000 start Running a=Completed(0) b=Completed(0) main=ready second=ready',
    ],
  },
  {
    what: 'fails with an init container that fails and is not restarted',
    spec: { restartPolicy: 'Never', initContainers: [init('a')] },
    annotations: { 'exit-code.a': '4' },
    until: minute,
    trace: [
      '0 accept Pending a=PodInitializing main=PodInitializing',
      '0 start Pending a=running main=PodInitializing',
      '0 exit Failed a=Error(4) main=PodInitializing',
    ],
  },
  {
    what: 'starts sidecars before the others, and ends them after the others',
    spec: { restartPolicy: 'Never', initContainers: [init('proxy', { restartPolicy: 'Always' })] },
    annotations: { after: '3s' },
    until: minute,
    trace: [
      '0 accept Pending proxy=PodInitializing main=PodInitializing',
      '0 start Pending proxy=ready main=PodInitializing',
      '0 start Running proxy=ready main=ready',
      '3000 exit Running proxy=ready main=Completed(0)',
      '3000 exit Succeeded proxy=Completed(0) main=Completed(0)',
    ],
  },
  {
    what: 'restarts with a back-off that doubles',
    annotations: { 'exit-code': '2', after: '3s', 'exit-reason': 'OOMKilled' },
    until: minute,
    trace: [
      '0 accept Pending main=ContainerCreating',
      '0 start Running main=ready',
      '3000 exit Running main=OOMKilled(2)',
      '3000 restart Running main=ready#1',
      '6000 exit Running main=OOMKilled(2)#1',
      '6000 back-off Running main=CrashLoopBackOff#1',
      '16000 restart Running main=ready#2',
      '19000 exit Running main=OOMKilled(2)#2',
      '19000 back-off Running main=CrashLoopBackOff#2',
      '39000 restart Running main=ready#3',
      '42000 exit Running main=OOMKilled(2)#3',
      '42000 back-off Running main=CrashLoopBackOff#3',
    ],
  },
  {
    what: 'exits a number of times, then runs on',
    annotations: { 'exit-code': '1', times: '1' },
    until: minute,
    trace: [
      '0 accept Pending main=ContainerCreating',
      '0 start Running main=ready',
      '0 exit Running main=Error(1)',
      '0 restart Running main=ready#1',
    ],
  },
  {
    what: 'is restarted on failure only',
    spec: { restartPolicy: 'OnFailure' },
    annotations: { after: '1s' },
    until: minute,
    trace: [
      '0 accept Pending main=ContainerCreating',
      '0 start Running main=ready',
      '1000 exit Succeeded main=Completed(0)',
    ],
  },
  {
    what: 'fails when it is never restarted',
    spec: { restartPolicy: 'Never' },
    annotations: { 'exit-code': '2', after: '3s' },
    until: minute,
    trace: ['0 accept Pending main=ContainerCreating', '0 start Running main=ready', '3000 exit Failed main=Error(2)'],
  },
  {
    what: 'follows the restart rules of a container',
    spec: {
      restartPolicy: 'Never',
      containers: [
        {
          ...main,
          restartPolicy: 'Never',
          restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [42] } }],
        },
      ],
    },
    annotations: { 'exit-code': '42', times: '1' },
    until: minute,
    trace: [
      '0 accept Pending main=ContainerCreating',
      '0 start Running main=ready',
      '0 exit Running main=Error(42)',
      '0 restart Running main=ready#1',
    ],
  },
  {
    what: 'completes by itself when a Job owns it',
    spec: { restartPolicy: 'Never' },
    metadata: job,
    until: minute,
    trace: [
      '0 accept Pending main=ContainerCreating',
      '0 start Running main=ready',
      '1000 exit Succeeded main=Completed(0)',
    ],
  },
  {
    what: 'exits when and as its command says, also when a Job owns it',
    spec: { restartPolicy: 'Never', containers: [{ ...main, command: ['sh', '-c', 'sleep 20; exit 3'] }] },
    metadata: job,
    until: minute,
    trace: ['0 accept Pending main=ContainerCreating', '0 start Running main=ready', '20000 exit Failed main=Error(3)'],
  },
  {
    what: 'cannot pull its image, and tries again with a back-off that doubles',
    annotations: { 'image-pull': 'fails' },
    until: 30_000,
    trace: [
      '0 accept Pending main=ContainerCreating',
      '0 pull-fails Pending main=ErrImagePull',
      '1000 pull-fails Pending main=ImagePullBackOff',
      '10000 pull-fails Pending main=ErrImagePull',
      '11000 pull-fails Pending main=ImagePullBackOff',
      '30000 pull-fails Pending main=ErrImagePull',
    ],
  },
  {
    what: 'is evicted',
    annotations: { 'evict-after': '5s' },
    until: minute,
    trace: [
      '0 accept Pending main=ContainerCreating',
      '0 start Running main=ready',
      '5000 evict Failed main=Error(137)',
    ],
  },
  {
    what: 'is ended at its deadline',
    spec: { activeDeadlineSeconds: 10 },
    until: minute,
    trace: [
      '0 accept Pending main=ContainerCreating',
      '0 start Running main=ready',
      '10000 deadline Failed main=Error(143)',
    ],
  },
];

describe('the life of a simulated pod', () => {
  for (const { what, spec, annotations, metadata, until, trace } of rows)
    it(what, () => {
      assert.deepEqual(new Life(podOf(spec, annotations, metadata)).until(until).trace, trace);
    });

  it('runs for less than a second when that is wanted', () => {
    const life = new Life(podOf({ restartPolicy: 'Never' }, { start: '700ms', after: '600ms' })).until(minute);
    assert.equal(life.trace.at(-1), '1300 exit Succeeded main=Completed(0)');
  });

  it('ends a container whose user has ended its shell', () => {
    const life = new Life(podOf({ restartPolicy: 'Never' })).until(1_000);
    const [{ containerID = '' } = {}] = life.pod.status?.containerStatuses ?? [];
    life.exits.set(containerID, 3);
    assert.deepEqual(life.until(2_000).trace.slice(-1), ['1000 exit Failed main=Error(3)']);
  });

  const deletions: readonly (readonly [string, object, Readonly<Record<string, string>>, readonly string[]])[] = [
    ['at once', {}, {}, ['5000 terminate Succeeded main=Completed(0)', '5000 remove']],
    ['as slowly as it says', {}, { stop: '8s' }, ['13000 terminate Succeeded main=Completed(0)', '13000 remove']],
    [
      'killed at the end of its grace period',
      {},
      { stop: 'never' },
      ['35000 terminate Failed main=Error(137)', '35000 remove'],
    ],
    [
      'as failed when it is not to be restarted',
      { restartPolicy: 'Never' },
      {},
      ['5000 terminate Failed main=Error(143)', '5000 remove'],
    ],
    [
      'although it has not started',
      {},
      { start: 'never' },
      ['5000 terminate Failed main=ContainerCreating', '5000 remove'],
    ],
  ];
  for (const [how, spec, annotations, trace] of deletions)
    it(`ends after a deletion ${how}`, () => {
      const life = new Life(podOf(spec, annotations)).until(5_000);
      const before = life.trace.length;
      assert.deepEqual(
        life
          .delete()
          .until(10 * minute)
          .trace.slice(before),
        trace,
      );
    });

  it('is not removed twice while somebody has a finalizer on it', () => {
    const life = new Life(podOf()).until(0).delete(0).until(minute);
    assert.deepEqual(life.trace.slice(2), ['0 terminate Succeeded main=Completed(0)']);
  });
});
