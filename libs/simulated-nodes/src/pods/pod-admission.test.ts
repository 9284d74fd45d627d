import type { Node, Pod } from '@apichain/api/core/v1';
import assert from 'node:assert/strict';
import { nodeObject } from '../nodes/node-spec.ts';
import { at, Life, podOf } from './life.fixture.ts';
import { PodAdmission } from './pod-admission.ts';

const node = (more: object = {}): Node => nodeObject({ name: 'node-1', capacity: { cpu: '2', pods: '3' }, ...more }, 0);

let pods = 0;
/** A pod that requests so much, with a UID of its own. */
const pod = (requests: object = {}, spec: object = {}, metadata: object = {}): Pod =>
  podOf(
    { containers: [{ name: 'main', image: 'nginx', resources: { requests } }], ...spec },
    {},
    { uid: `${++pods}`, ...metadata },
  );

const withStatus = (object: Pod, status: object): Pod => ({ ...object, status: { ...object.status, ...status } });
const reasonOf = (admission: PodAdmission, object: Pod) => admission.admit(object)?.reason;

describe('the admission of pods by a kubelet', () => {
  it('counts the requests of the pods that it has admitted', () => {
    const admission = new PodAdmission(node());
    assert.equal(admission.admit(pod({ cpu: '1500m' })), undefined);
    assert.deepEqual(admission.admit(pod({ cpu: '600m' })), {
      reason: 'OutOfcpu',
      message: "Node didn't have enough resource: cpu, requested: 600, used: 1500, capacity: 2000",
    });
    assert.equal(admission.admit(pod({ cpu: '500m' })), undefined);
  });

  it('names the first resource of which there is too little, pods before all others', () => {
    const admission = new PodAdmission(node());
    const all = { 'ephemeral-storage': '1Ti', memory: '1Ti', cpu: '9' };
    assert.equal(reasonOf(admission, pod(all)), 'OutOfcpu');
    assert.equal(reasonOf(admission, pod({ ...all, cpu: '1' })), 'OutOfmemory');
    assert.equal(reasonOf(admission, pod({ 'ephemeral-storage': '1Ti' })), 'OutOfephemeral-storage');
    for (let count = 0; count < 3; count++) assert.equal(admission.admit(pod()), undefined);
    assert.deepEqual(admission.admit(pod(all)), {
      reason: 'OutOfpods',
      message: "Node didn't have enough resource: pods, requested: 1, used: 3, capacity: 3",
    });
  });

  it('rejects for extended resources only if the node has them', () => {
    const admission = new PodAdmission(node({ capacity: { 'example.com/gpu': '1' } }));
    assert.equal(reasonOf(admission, pod({ 'example.com/gpu': '2' })), 'OutOfexample.com/gpu');
    assert.equal(reasonOf(admission, pod({ 'example.com/other': '2' })), undefined);
  });

  it('frees what a pod took when it has ended, is gone or was resized', () => {
    const admission = new PodAdmission(node());
    const [first, second, third] = [pod({ cpu: '1' }), pod({ cpu: '1' }), pod({ cpu: '1' })];
    assert.equal(admission.admit(first), undefined);
    assert.equal(admission.admit(second), undefined);
    assert.equal(reasonOf(admission, third), 'OutOfcpu');
    admission.follow(withStatus(first, { phase: 'Succeeded', startTime: at(0) }));
    assert.equal(admission.admit(third), undefined);
    admission.forget('none');
    admission.forget(third.metadata.uid ?? '');
    assert.equal(admission.admit(pod({ cpu: '1' })), undefined);
    const resized = pod({ cpu: '500m' }, {}, { uid: second.metadata.uid, generation: 2 });
    admission.follow(withStatus(resized, { phase: 'Running', startTime: at(0) }));
    assert.equal(admission.admit(pod({ cpu: '500m' })), undefined);
    assert.equal(reasonOf(admission, pod({ cpu: '1m' })), 'OutOfpods');
  });

  it('counts pods that have been accepted before, and asks once about each pod', () => {
    const admission = new PodAdmission(node());
    const running = pod({ cpu: '2' });
    admission.follow(running);
    assert.equal(admission.admit(pod({ cpu: '2' }, {}, { uid: 'other' })), undefined);
    admission.forget('other');
    admission.follow(withStatus(running, { phase: 'Running', startTime: at(0) }));
    assert.equal(reasonOf(admission, pod({ cpu: '1' })), 'OutOfcpu');
    assert.equal(admission.admit(running), undefined);
  });

  it('keeps to node selectors and affinity, host ports and taints that expel', () => {
    const tainted = node({ taints: [{ key: 'gone', value: 'a', effect: 'NoExecute' }] });
    const admission = new PodAdmission(node());
    assert.deepEqual(admission.admit(pod({}, { nodeSelector: { disk: 'fast' } })), {
      reason: 'NodeAffinity',
      message: "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
    });
    const onPort = (hostIP = '') =>
      pod({}, { containers: [{ name: 'main', image: 'a', ports: [{ containerPort: 80, hostPort: 80, hostIP }] }] });
    assert.equal(admission.admit(onPort('10.0.0.1')), undefined);
    assert.equal(admission.admit(onPort('10.0.0.2')), undefined);
    assert.deepEqual(admission.admit(onPort()), {
      reason: 'NodePorts',
      message: "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports",
    });
    assert.deepEqual(new PodAdmission(tainted).admit(pod()), {
      reason: 'TaintToleration',
      message: "Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate",
    });
    assert.equal(reasonOf(new PodAdmission(tainted), pod({}, { tolerations: [{ operator: 'Exists' }] })), undefined);
    const unscheduled = node({ taints: [{ key: 'gone', effect: 'NoSchedule' }] });
    assert.equal(reasonOf(new PodAdmission(unscheduled), pod()), undefined);
  });

  it('tells the reason that a kubelet finds first', () => {
    const admission = new PodAdmission(node({ taints: [{ key: 'gone', effect: 'NoExecute' }] }));
    assert.equal(reasonOf(admission, pod({ cpu: '3' }, { nodeSelector: { disk: 'fast' } })), 'OutOfcpu');
    assert.equal(reasonOf(admission, pod({}, { nodeSelector: { disk: 'fast' } })), 'NodeAffinity');
    assert.equal(reasonOf(admission, pod({ cpu: '3' }, { os: { name: 'windows' } })), 'PodOSNotSupported');
    const labels = { 'kubernetes.io/os': 'windows' };
    assert.equal(reasonOf(admission, pod({ cpu: '3' }, {}, { labels })), 'PodOSSelectorNodeLabelDoesNotMatch');
    const windows = new PodAdmission(node({ labels }));
    assert.equal(windows.admit(pod({}, { os: { name: 'windows' } }, { labels })), undefined);
  });
});

describe('a critical pod', () => {
  const critical = { priority: 2_000_000_000 };
  const running = (admission: PodAdmission, name: string, requests: object, qosClass: string, spec: object = {}) => {
    const object = withStatus(pod(requests, spec, { name }), { qosClass });
    assert.equal(admission.admit(object), undefined);
    return object;
  };
  const full = () => {
    const victims: string[] = [];
    const admission = new PodAdmission(node(), ({ metadata }) => victims.push(metadata.name ?? ''));
    return { admission, victims };
  };

  it('ends as few pods as possible, of the lowest class first', () => {
    const { admission, victims } = full();
    running(admission, 'guaranteed', { cpu: '1' }, 'Guaranteed');
    const small = running(admission, 'small', { cpu: '300m' }, 'Burstable');
    running(admission, 'large', { cpu: '700m' }, 'Burstable');
    assert.equal(admission.admit(pod({ cpu: '600m' }, critical)), undefined);
    // The place of a pod is needed as well.
    assert.deepEqual(victims, ['large']);
    assert.equal(admission.isPreempted(small.metadata.uid ?? ''), false);
  });

  it('takes the place of pods that have not ended yet, and of no pod twice', () => {
    const { admission, victims } = full();
    const victim = running(admission, 'victim', { cpu: '2' }, 'Guaranteed');
    assert.equal(admission.admit(pod({ cpu: '2' }, critical)), undefined);
    admission.follow(withStatus(victim, { phase: 'Running', startTime: at(0) }));
    assert.equal(reasonOf(admission, pod({ cpu: '1' })), 'OutOfcpu');
    assert.deepEqual(admission.admit(pod({ cpu: '1' }, critical)), {
      reason: 'UnexpectedAdmissionError',
      message:
        'Unexpected error while attempting to recover from admission failure: preemption: error finding a set of pods to preempt: ' +
        'no set of running pods found to reclaim resources: [(res: cpu, q: 1000), ]',
    });
    assert.deepEqual(victims, ['victim']);
    admission.follow(withStatus(victim, { phase: 'Failed', startTime: at(0) }));
    assert.equal(admission.isPreempted(victim.metadata.uid ?? ''), false);
  });

  it('ends no pod for what other pods do not cause', () => {
    const { admission, victims } = full();
    running(admission, 'other', { cpu: '2' }, 'Guaranteed');
    const misfit = pod({ cpu: '1' }, { ...critical, nodeSelector: { disk: 'fast' } });
    assert.equal(reasonOf(admission, misfit), 'NodeAffinity');
    assert.deepEqual(victims, []);
  });

  it('is told by the pods that make room', () => {
    const life = new Life(podOf()).until(0);
    life.isPreempted = true;
    const {
      pod: { status },
      events,
    } = life.until(0);
    assert.deepEqual([status?.phase, status?.reason], ['Failed', 'Preempting']);
    assert.equal(status?.conditions?.find(({ type }) => type === 'DisruptionTarget')?.reason, 'TerminationByKubelet');
    assert.equal(events.at(-2)?.message, 'Preempted in order to admit critical pod');
  });
});

describe('a pod that its kubelet rejects', () => {
  const rejected = () => {
    const conditions = [
      { type: 'PodScheduled', status: 'True' },
      { type: 'example.com/other', status: 'True' },
    ];
    const life = new Life({ ...podOf(), status: { phase: 'Pending', qosClass: 'BestEffort', conditions } });
    life.rejection = { reason: 'OutOfcpu', message: 'no CPU' };
    return life.until(10_000);
  };

  it('has failed, without containers and conditions of the kubelet, and never changes again', () => {
    const {
      pod: { status },
      events,
      trace,
    } = rejected();
    assert.deepEqual(status, {
      phase: 'Failed',
      qosClass: 'BestEffort',
      reason: 'OutOfcpu',
      message: 'Pod was rejected: no CPU',
      startTime: at(0),
      observedGeneration: 1,
      conditions: [{ type: 'example.com/other', status: 'True' }],
    });
    assert.deepEqual(events, [{ type: 'Warning', reason: 'OutOfcpu', message: 'no CPU' }]);
    assert.deepEqual(trace, ['0 reject Failed']);
  });

  it('is removed when it is deleted', () => {
    assert.equal(rejected().delete().until(11_000).trace.at(-1), '10000 remove');
  });
});
