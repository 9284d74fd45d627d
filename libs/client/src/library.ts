/*
 * The published module `apichain/client`: what controllers are written on. The servers of the chain import more of this library, which may change
 * with them.
 */
export { Informer, objectKey, type InformerHandlers, type InformerOptions } from './informer.ts';
export { inClusterConfig, NotInClusterError, type PodPlaces } from './in-cluster.ts';
export { defaultKubeconfig, loadKubeconfig } from './kubeconfig.ts';
export { jsonLogger, silentLogger, type LogFields, type Logger } from './log.ts';
export { CachedClient, indexField, type FieldIndex } from './operator/cached-client.ts';
export {
  findStatusCondition,
  isStatusConditionTrue,
  removeStatusCondition,
  setStatusCondition,
  type Condition,
  type DeclaredCondition,
  type NewCondition,
  type WithConditions,
} from './operator/conditions.ts';
export {
  controller,
  type Applied,
  type Controller,
  type ControllerSpec,
  type MappedSource,
  type OwnedSource,
  type Reconcile,
  type ReconcileContext,
  type Request,
  type Source,
  type StatusOf,
  type Stored,
} from './operator/controller.ts';
export type { LeaderElection } from './operator/election.ts';
export { containsFinalizer, ensureFinalizer, removeFinalizer } from './operator/finalizers.ts';
export { kinds } from './operator/generated/kinds.ts';
export type { HealthCheck } from './operator/health.ts';
export type { KindReference } from './operator/kind.ts';
export { startManager, type Manager, type ManagerOptions } from './operator/manager.ts';
export * as predicate from './operator/predicates.ts';
export type { Predicate } from './operator/predicates.ts';
export { getConfig, newClient, setupSignalHandler } from './operator/program.ts';
export { controllerOf, controllerReference, isControlledBy, type ControllerKind } from './owner-references.ts';
export {
  RestClient,
  type ClientWatchEvent,
  type ObjectList,
  type Query,
  type ReadOptions,
  type ResourceReference,
} from './rest-client.ts';
export {
  httpTransport,
  type HttpTransportOptions,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from './transport.ts';
export {
  runWorkers,
  TerminalError,
  WorkQueue,
  type ReconcileKey,
  type Result,
  type WorkQueueObserver,
} from './work-queue.ts';
export { retryOnConflict, writeStatus } from './write-status.ts';
export {
  isStatusError,
  isUnexpectedServerError,
  StatusError,
  type KubeObject,
  type ListMeta,
  type ObjectMeta,
  type Status,
} from '@apichain/meta';
