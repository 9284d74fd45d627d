export type { KubeletServing } from './kubelet/server.ts';
export { impersonating } from './impersonation.ts';
export { metricsHost } from './metrics/serving.ts';
export { simulatedLabel, type NodeSpec } from './nodes/node-spec.ts';
export { readStages } from './stages/load.ts';
export type { Stage } from './stages/stage.ts';
export { startSimulatedNodes, type SimulatedNode, type SimulatedNodes, type SimulatedNodesOptions } from './start.ts';
