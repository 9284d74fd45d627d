export type { TokenVerdict } from './access-reviews.ts';
export { createBuiltinApi, type BuiltinApi } from './builtin.ts';
export { UnhealthyComponent, type ComponentProbe } from './component-statuses.ts';
export { Kubelets, defaultKubeletOptions, type KubeletIdentity } from './connect/kubelets.ts';
export { builtinOpenApi, openApiEncoders } from './openapi.ts';
export { defaultServiceClusterIpRange, firstAddress, parseServiceRanges } from './services/cluster-ip-allocator.ts';
export { defaultServiceNodePortRange, formatPortRange, parsePortRange } from './services/node-port-allocator.ts';
export { strategyFor, subresourceStrategyFor } from './strategies/interpreter.ts';
export { behaviourOf } from './strategies/table.ts';
