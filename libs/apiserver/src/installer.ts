import type { DelegationTarget } from '@apichain/delegation';
import type { GroupVersion } from '@apichain/meta';
import type { GroupVersionHandler, GroupVersionInstaller } from './api-group.ts';
import type { EndpointServices } from './endpoints/scope.ts';
import type { ResourceStorage } from './registry/rest.ts';
import { BuiltinRouter } from './routing/builtin-router.ts';
import { CustomResourceRouter } from './routing/custom-resource-router.ts';

/** The services used by the endpoints of a group-version; only the authorizer has no default. */
export type GroupVersionHandlerOptions = Partial<Omit<EndpointServices, 'authorizer'>> &
  Pick<EndpointServices, 'authorizer'>;

/** The services used by the endpoints of custom resources. */
export type CustomResourceHandlerOptions = GroupVersionHandlerOptions & {
  /** The next server. It receives requests for resources of the group-version that no CRD defines; without a next server the response is 404. */
  readonly delegate?: DelegationTarget;
};

const defaultServices = {
  minRequestTimeoutSeconds: 1800,
  kinds: { name: 'pkg/api/legacyscheme/scheme.go:30', recognizes: () => false },
};

/**
 * Makes the handler of all paths of one built-in group-version. Everything that follows from the storages is computed once, here.
 * After k8s.io/apiserver/pkg/endpoints.APIInstaller.
 */
export function createGroupVersionHandler(
  groupVersion: GroupVersion,
  storages: readonly ResourceStorage[],
  options: GroupVersionHandlerOptions,
): GroupVersionHandler {
  return new BuiltinRouter(groupVersion, storages, { ...defaultServices, ...options });
}

/** Makes the handler of all custom resources of one group-version. After crdHandler of k8s.io/apiextensions-apiserver. */
export function createCustomResourceHandler(
  groupVersion: GroupVersion,
  storages: readonly ResourceStorage[],
  { delegate, ...options }: CustomResourceHandlerOptions,
): GroupVersionHandler {
  const services = { ...defaultServices, ...options, custom: true };
  return new CustomResourceRouter(groupVersion, storages, services, delegate);
}

/** Binds the options of `createGroupVersionHandler`, for `ServerConfig.installer`. */
export function groupVersionInstaller(options: GroupVersionHandlerOptions): GroupVersionInstaller {
  return (groupVersion, storages) => createGroupVersionHandler(groupVersion, storages, options);
}
