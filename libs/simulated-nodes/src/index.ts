export { impersonating } from './impersonation.ts';
export { metricsHost, type MetricsServing } from './metrics/serving.ts';
export { simulatedLabel, type NodeSpec } from './nodes/node-spec.ts';
export { readStages } from './stages/load.ts';
export type { Stage } from './stages/stage.ts';
export { startSimulatedNodes, type SimulatedNode, type SimulatedNodes, type SimulatedNodesOptions } from './start.ts';
export type { TlsServing } from './tls-server.ts';
