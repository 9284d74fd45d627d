export { installFlowControlDumps } from './debug-dump.ts';
export { MaxInFlight } from './filters/max-in-flight.ts';
export { PriorityAndFairness } from './filters/priority-and-fairness.ts';
export type { RequestLimit } from './filters/request-limit.ts';
export { FlowControl, type FlowControlSource } from './flow-control.ts';
export { registerFlowControlMetrics } from './metrics.ts';
