/*
 * The published module `apichain/client`: what controllers are written on. The servers of the chain import more of this library, which may change
 * with them.
 */
export { Informer, objectKey, type InformerHandlers, type InformerOptions } from './informer.ts';
export { inClusterConfig, NotInClusterError, type PodPlaces } from './in-cluster.ts';
export { loadKubeconfig } from './kubeconfig.ts';
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
export { WorkQueue, runWorkers, type WorkQueueObserver } from './work-queue.ts';
export {
  isStatusError,
  isUnexpectedServerError,
  StatusError,
  type KubeObject,
  type ListMeta,
  type ObjectMeta,
  type Status,
} from '@apichain/meta';
