import type { StepName } from '../pods/situation.ts';
import type { Stage, StageStep } from './stage.ts';

/** The events come after the status, so that they are not recorded again when the status could not be written. */
const report: readonly StageStep[] = [
  { patch: { subresource: 'status', root: 'status', type: 'strategic', cel: { expression: 'kubelet.status' } } },
  { eventsFrom: { cel: { expression: 'kubelet.events' } } },
];

const remove: readonly StageStep[] = [{ delete: true }];

/** What happens in each step of a pod's life. */
const steps: Readonly<Record<StepName, readonly StageStep[]>> = {
  accept: report,
  reject: report,
  start: report,
  'pull-fails': report,
  ready: report,
  exit: report,
  'back-off': report,
  restart: report,
  evict: report,
  preempt: report,
  deadline: report,
  terminate: report,
  update: report,
  remove,
};

/** The life of pods on simulated nodes: a stage `pod-STEP` for each step of a kubelet. A stage of the same name takes its place. */
export const podStages: readonly Stage[] = Object.entries(steps).map(([step, does]) => ({
  apiVersion: 'simulate.apichain.dev/v1alpha1',
  kind: 'Stage',
  metadata: { name: `pod-${step}` },
  spec: {
    resourceRef: { apiGroup: 'v1', kind: 'Pod' },
    selector: { matchExpressions: [{ cel: { expression: `kubelet.step == "${step}"` } }] },
    delay: { durationFrom: { cel: { expression: 'kubelet.due' } } },
    steps: does,
    immediateNextStage: true,
  },
}));

/** What happens to simulated nodes: their kubelets report their status. A stage of the same name takes the place of one of these. */
export const nodeStages: readonly Stage[] = ['report', 'heartbeat'].map((step) => ({
  apiVersion: 'simulate.apichain.dev/v1alpha1',
  kind: 'Stage',
  metadata: { name: `node-${step}` },
  spec: {
    resourceRef: { apiGroup: 'v1', kind: 'Node' },
    selector: { matchExpressions: [{ cel: { expression: `kubelet.step == "${step}"` } }] },
    delay: { durationFrom: { cel: { expression: 'kubelet.due' } } },
    steps: [
      { patch: { subresource: 'status', root: 'status', type: 'strategic', cel: { expression: 'kubelet.status' } } },
      { eventsFrom: { cel: { expression: 'kubelet.events' } } },
    ],
    immediateNextStage: true,
    renewal: step === 'heartbeat',
  },
}));
