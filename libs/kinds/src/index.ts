export * from './model.ts';
export * from './resources.ts';
export * from './runtime-config.ts';
export * from './builtin.ts';
export * from './connect/kubelets.ts';
export * from './field-selectors.ts';
export * from './storage-paths.ts';
export { convertFromHub, convertToHub, storageVersion } from './conversions/hub.ts';
export { CreateOnlyStorage, plainCodec, requireType, type CreateOnlyOptions } from './create-only.ts';
export { accessReviewStorage, type AccessReviewOptions, type TokenVerdict } from './access-reviews.ts';
export { type ComponentProbe, UnhealthyComponent } from './component-statuses.ts';
export { behaviourOf } from './strategies/table.ts';
export type { KindBehaviour, SubresourceBehaviour } from './strategies/behaviour.ts';
export { strategyFor, subresourceStrategyFor } from './strategies/interpreter.ts';
export { semanticEqual } from './strategies/equality.ts';
export { tolerationListErrors } from './validation/pod/scheduling.ts';
export type { KindValidation } from './validation/kind-validation.ts';
export * from './services/ip.ts';
export {
  AllocationError,
  ClusterIpAllocator,
  firstAddress,
  parseServiceRanges,
  defaultServiceClusterIpRange,
} from './services/cluster-ip-allocator.ts';
export {
  defaultServiceNodePortRange,
  formatPortRange,
  NodePortAllocator,
  parsePortRange,
  type PortRange,
} from './services/node-port-allocator.ts';
export { builtinOpenApi, openApiEncoders } from './openapi.ts';
