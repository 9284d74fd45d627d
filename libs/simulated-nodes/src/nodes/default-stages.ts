import type { Stage } from '../stages/stage.ts';

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
