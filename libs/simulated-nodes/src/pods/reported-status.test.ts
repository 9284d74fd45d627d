import assert from 'node:assert/strict';
import { at, Life, podOf } from './life.fixture.ts';

const main = { name: 'main', image: 'nginx' };
const minute = 60_000;

describe('what is reported of a simulated pod', () => {
  it('has the fields of a kubelet', () => {
    const { pod, events } = new Life(
      podOf({
        containers: [
          {
            ...main,
            imagePullPolicy: 'IfNotPresent',
            resources: { requests: { cpu: '1' }, limits: { cpu: '2' } },
            volumeMounts: [{ name: 'data', mountPath: '/data', readOnly: true }],
          },
        ],
      }),
    ).until(0);
    const condition = (type: string) => ({ type, status: 'True', lastTransitionTime: at(0), observedGeneration: 1 });
    assert.deepEqual(pod.status, {
      phase: 'Running',
      conditions: ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map(
        condition,
      ),
      hostIP: '127.0.0.1',
      hostIPs: [{ ip: '127.0.0.1' }],
      podIP: '10.244.0.2',
      podIPs: [{ ip: '10.244.0.2' }],
      startTime: at(0),
      observedGeneration: 1,
      containerStatuses: [
        {
          name: 'main',
          state: { running: { startedAt: at(0) } },
          lastState: {},
          ready: true,
          restartCount: 0,
          image: 'nginx',
          imageID: 'docker.io/library/nginx@sha256:5be1ecc7935f1dd85635d4feedaf660594030253cc97c9e9ca3819ffeac36b65',
          containerID: pod.status?.containerStatuses?.[0]?.containerID,
          started: true,
          allocatedResources: { cpu: '1' },
          resources: { requests: { cpu: '1' }, limits: { cpu: '2' } },
          volumeMounts: [{ name: 'data', mountPath: '/data', readOnly: true, recursiveReadOnly: 'Disabled' }],
        },
      ],
    });
    assert.deepEqual(
      events.map(({ reason, message, fieldPath }) => [reason, message, fieldPath]),
      [
        [
          'Pulled',
          'Container image "nginx" already present on machine and can be accessed by the pod',
          'spec.containers{main}',
        ],
        ['Created', 'Container created', 'spec.containers{main}'],
        ['Started', 'Container started', 'spec.containers{main}'],
      ],
    );
  });

  it('has the conditions and words of a kubelet while it waits', () => {
    const { pod } = new Life(podOf({ initContainers: [{ name: 'a', image: 'a' }] }, { 'start.a': 'never' })).until(
      minute,
    );
    const told = (pod.status?.conditions ?? []).map(({ type, status, reason, message }) => [
      type,
      status,
      reason,
      message,
    ]);
    const unready = 'containers with unready status: [main]';
    assert.deepEqual(told, [
      ['PodReadyToStartContainers', 'False', undefined, undefined],
      ['Initialized', 'False', 'ContainersNotInitialized', 'containers with incomplete status: [a]'],
      ['Ready', 'False', 'ContainersNotReady', unready],
      ['ContainersReady', 'False', 'ContainersNotReady', unready],
      ['PodScheduled', 'True', undefined, undefined],
    ]);
  });

  it('keeps the transition times of conditions that stay, and the conditions of others', () => {
    const life = new Life(podOf({}, { ready: '5s' }));
    life.until(0);
    const target = { type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler' };
    life.pod.status?.conditions?.push(target);
    const { conditions = [] } = life.until(5_000).pod.status ?? {};
    const time = (type: string) => conditions?.find((found) => found.type === type)?.lastTransitionTime;
    assert.deepEqual([time('Initialized'), time('Ready')], [at(0), at(5_000)]);
    assert.ok(conditions?.includes(target));
  });

  it('follows readiness gates and the generation of the pod', () => {
    const life = new Life(podOf({ readinessGates: [{ conditionType: 'example.com/open' }] })).until(0);
    const ready = () => life.pod.status?.conditions?.find(({ type }) => type === 'Ready');
    assert.equal(ready()?.message, 'corresponding condition of pod readiness gate "example.com/open" does not exist.');
    life.pod.status?.conditions?.push({ type: 'example.com/open', status: 'True' });
    life.pod = { ...life.pod, metadata: { ...life.pod.metadata, generation: 2 } };
    life.until(1_000);
    assert.deepEqual([ready()?.status, ready()?.observedGeneration], ['True', 2]);
    assert.equal(life.pod.status?.observedGeneration, 2);
    assert.equal(life.trace.at(-1), '0 update Running main=ready');
  });

  it('keeps what was, when a container is restarted', () => {
    const { pod, events } = new Life(podOf({}, { 'exit-code': '2', after: '3s' })).until(6_000);
    const [status] = pod.status?.containerStatuses ?? [];
    assert.deepEqual(status?.state?.waiting, {
      reason: 'CrashLoopBackOff',
      message: 'back-off 10s restarting failed container=main pod=web_default(uid)',
    });
    const { exitCode, reason, startedAt, finishedAt } = status?.lastState?.terminated ?? {};
    assert.deepEqual([exitCode, reason, startedAt, finishedAt], [2, 'Error', at(3_000), at(6_000)]);
    assert.equal(events.at(-1)?.message, 'Back-off restarting failed container main in pod web_default(uid)');
  });

  it('tells of a readiness probe that fails', () => {
    const { events } = new Life(podOf({ containers: [{ ...main, readinessProbe: {} }] }, { ready: 'never' })).until(0);
    assert.deepEqual([events.at(-1)?.reason, events.at(-1)?.type], ['Unhealthy', 'Warning']);
  });
});

describe('a simulated pod that is changed', () => {
  it('follows a resize of its containers', () => {
    const life = new Life(podOf({ containers: [{ ...main, resources: { requests: { cpu: '1' } } }] })).until(0);
    const containers = [{ ...main, resources: { requests: { cpu: '2' } } }];
    life.pod = { ...life.pod, spec: { ...life.pod.spec, containers } };
    life.until(1_000);
    const [status] = life.pod.status?.containerStatuses ?? [];
    assert.deepEqual([status?.allocatedResources, status?.resources], [{ cpu: '2' }, { requests: { cpu: '2' } }]);
    assert.equal(life.trace.at(-1), '0 update Running main=ready');
  });

  it('runs a container anew when its image changes', () => {
    const life = new Life(podOf({ restartPolicy: 'Never' })).until(0);
    life.pod = { ...life.pod, spec: { ...life.pod.spec, containers: [{ ...main, image: 'nginx:2' }] } };
    const told = life.events.length;
    life.until(1_000);
    assert.equal(life.trace.at(-1), '0 restart Running main=ready#1');
    assert.equal(life.pod.status?.containerStatuses?.[0]?.image, 'nginx:2');
    assert.equal(life.events[told]?.message, 'Container main definition changed, will be restarted');
  });

  it('starts ephemeral containers', () => {
    const life = new Life(podOf()).until(0);
    life.pod = { ...life.pod, spec: { ...life.pod.spec, ephemeralContainers: [{ name: 'debug', image: 'busybox' }] } };
    assert.equal(life.until(1_000).trace.at(-1), '0 start Running main=ready debug=running');
    assert.equal(life.events.at(-1)?.fieldPath, 'spec.ephemeralContainers{debug}');
  });
});
