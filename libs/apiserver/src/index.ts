export type { ApiGroupInfo, GroupVersionHandler, GroupVersionInstaller } from './api-group.ts';
export type { GroupSource } from './discovery/endpoints.ts';
export { orderByPriority, type DiscoveryPriority } from './discovery/merge.ts';
export { apiResources, toDiscovery, verbsOf } from './discovery/resources.ts';
export type { ApiGroupDiscovery, ApiResource, ApiResourceList, ApiVersionDiscovery } from './discovery/types.ts';
export { forbidden } from './filters/authorization-attributes.ts';
export { impersonator } from './filters/impersonation.ts';
export { installAdmission } from './install-admission.ts';
export {
  createCustomResourceHandler,
  groupVersionInstaller,
  type CustomResourceHandlerOptions,
  type GroupVersionHandlerOptions,
} from './installer.ts';
export { internalContext } from './internal-context.ts';
export { updateManagedFields } from './endpoints/managed-fields.ts';
export { runInWorker, makeWorkers, type RunInWorker } from './workers.ts';
export {
  addEndpointsHook,
  advertiseAddress,
  advertisedOf,
  KubernetesEndpoints,
  kubernetesEndpointsFlags,
  openMasterLeases,
  type Advertised,
} from './kubernetes-endpoints.ts';
export { mergeOpenApiV2 } from './openapi/merge.ts';
export type { OpenApiSource } from './openapi/source.ts';
export type { ServerActivity } from './activity.ts';
export { run } from './options/run.ts';
export {
  etcdOptions,
  keyPrefix,
  serverConfig,
  type DelegatedAccess,
  type EtcdOptions,
  type ServiceParts,
} from './options/server-options.ts';
export { convertingStorage } from './registry/converting-storage.ts';
export {
  defineResource,
  storageVersionHash,
  type DefinedResource,
  type ResourceDefinition,
  type ResourceVersion,
  type SelectableFields,
} from './registry/definition.ts';
export { checkMarkPreconditions } from './registry/deletion.ts';
export { isGeneratedName } from './registry/generate-name.ts';
export { defaultListOptions } from './negotiation/request-options.ts';
export { lazyTable } from './registry/lazy-table.ts';
export type { DecodedObject, ObjectCodec, ObjectDecodeOptions } from './registry/object-codec.ts';
export { selectionPredicate } from './registry/predicate.ts';
export { StoredResource, type SubresourceStorage } from './registry/resource-storage.ts';
export type {
  Connecter,
  Creater,
  GetOptions,
  Getter,
  ListOptions,
  Lister,
  ObjectFieldManager,
  ResourceStorage,
  Result,
  TableColumnDefinition,
  TableConvertor,
  Updater,
  Watcher,
  WriteOptions,
} from './registry/rest.ts';
export { ScaleStorage, scaleKind } from './registry/scale-storage.ts';
export { isStoredObject, type RegistryStore, type Written } from './registry/store.ts';
export type { GracefulDeleteOptions, NameValidator, ResourceInfo, Strategy } from './registry/strategy.ts';
export { typedCodec } from './registry/typed-codec.ts';
export type { ServerConfig } from './server-config.ts';
export { GenericApiServer } from './server.ts';
export { EtcdStorage, type FirstObject } from './storage/etcd-storage.ts';
export type { ReadOnlyServing } from './storage/read-only.ts';
export type { UpdateRequest } from './registry/update-attempt.ts';
