import {
  builtinPlugins,
  composeAdmission,
  DynamicAdmission,
  PodSecurityCounts,
  serviceResolver,
  StorageLookup,
  type AdmissionChain,
  type AdmissionSelection,
  type NamespaceCreator,
  type PluginDependencies,
  type QuotaStatusWriter,
} from '@apichain/admission';
import { internalContext, isStoredObject, type Creater, type ResourceStorage, type Updater } from '@apichain/apiserver';
import type { FeatureGates } from '@apichain/apiserver-options';
import type { Authorizer } from '@apichain/authz';
import { builtinMapper, builtinType } from '@apichain/kinds';
import { type BuiltinApi } from '@apichain/kinds-registry';
import { claimDifference } from '@apichain/kinds-validation';
import { deepClone, newConflict, newNotFound, optimisticLockMessage } from '@apichain/meta';
import { serverVersion } from '@apichain/request';
import type { KubeCoreOptions } from './options.ts';
import type { ResourceStores, Storage } from '@apichain/storage';

/** On by default in kube-apiserver, but useless without the controller that creates the service accounts. */
const needsControllers = ['ServiceAccount'];
const fieldManager = 'kube-apiserver';
const writeOptions = { dryRun: false, fieldManager, fieldValidation: 'Ignore' } as const;
const core = { group: '', version: 'v1' };
const quotas = { ...core, resource: 'resourcequotas' };

function storageAt(api: BuiltinApi, plural: string, path: string): ResourceStorage {
  const found = api
    .resource('', plural)
    ?.storagesOf(core)
    .find((storage) => storage.path === path);
  if (found === undefined) throw newNotFound({ group: '', resource: plural }, path);
  return found;
}
const isUpdater = (storage: ResourceStorage): storage is Updater => 'update' in storage;
const isCreater = (storage: ResourceStorage): storage is Creater => 'create' in storage;

/** Updates the status of a quota through the API, like any other client. */
function quotaWriter(api: () => BuiltinApi, signal: AbortSignal): QuotaStatusWriter {
  return async (namespace, name, resourceVersion, used) => {
    const storage = storageAt(api(), quotas.resource, 'resourcequotas/status');
    if (!isUpdater(storage)) throw new Error('the status of resource quotas cannot be updated');
    const ctx = internalContext(quotas, { namespace, name, verb: 'update', signal });
    const { result } = await storage.update(
      ctx,
      name,
      async (current) => {
        if (current?.metadata.resourceVersion !== resourceVersion) {
          throw newConflict(quotas, name, optimisticLockMessage);
        }
        const updated = deepClone(current);
        updated['status'] = { ...(current['status'] as object | undefined), used: { ...used } };
        return (await storage.fieldManager?.update(current, updated, fieldManager)) ?? updated;
      },
      { ...writeOptions, forceAllowCreate: false },
    );
    if (!isStoredObject(result)) throw new Error('the status of a resource quota was not written');
    return result.parse();
  };
}

function namespaceCreator(api: () => BuiltinApi, signal: AbortSignal): NamespaceCreator {
  return async (name) => {
    const storage = storageAt(api(), 'namespaces', 'namespaces');
    if (!isCreater(storage)) throw new Error('namespaces cannot be created');
    const ctx = internalContext({ ...core, resource: 'namespaces' }, { verb: 'create', signal });
    await storage.create(ctx, '', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, writeOptions);
  };
}

function selectionOf({ enable, disable }: AdmissionSelection, idlePlugins: readonly string[]): AdmissionSelection {
  const idle = [...needsControllers, ...idlePlugins].filter(
    (name) => !enable.includes(name) && !disable.includes(name),
  );
  return { enable, disable: [...disable, ...idle] };
}

const nodeRestriction = (features: FeatureGates | undefined): PluginDependencies['nodeRestriction'] => ({
  claimDifference,
  ...(features === undefined ? {} : nodeRestrictionGates(features)),
});

const nodeRestrictionGates = ({ isOpen }: FeatureGates): PluginDependencies['nodeRestriction'] => ({
  restrictsAudiences: isOpen('ServiceAccountNodeAudienceRestriction'),
  allowsAnyCertificateRequest: isOpen('AllowInsecureKubeletCertificateSigningRequests'),
  certifiesPods: isOpen('PodCertificateRequest'),
});

interface KubeCoreAdmission {
  readonly chain: AdmissionChain;
  /** Must be started with the server. */
  readonly dynamic: DynamicAdmission;
  readonly podSecurity: PodSecurityCounts;
}

/** The admission plugins of kube-core, selected by the flags. `api` is called with the first request. */
export function admissionOf(
  options: KubeCoreOptions,
  authorizer: Authorizer,
  api: () => BuiltinApi,
): KubeCoreAdmission {
  const { signal } = new AbortController();
  const { features, logger } = options.config;
  const open = ownStores(api);
  const lookup = new StorageLookup(open);
  const podSecurity = new PodSecurityCounts(Number(serverVersion.minor));
  const dynamic = new DynamicAdmission({
    open,
    lookup,
    builtin: builtinMapper,
    types: builtinType,
    services: serviceResolver(lookup, options.serviceRouting),
    webhookUsers: options.admission.generic.webhookUsers,
    onError: (error) => logger.warn({ err: error }, 'following the configuration of admission failed, trying again'),
  });
  const { chain, warnings } = composeAdmission(
    builtinPlugins({
      lookup,
      dynamic,
      authorizer,
      writeQuotaStatus: quotaWriter(api, signal),
      createNamespace: namespaceCreator(api, signal),
      tolerations: options.tolerations,
      limitedResources: options.admission.generic.limitedResources,
      nodeRestriction: nodeRestriction(features),
      ...options.plugins,
      podSecurity: { ...options.plugins.podSecurity, counts: podSecurity },
    }),
    selectionOf(options.admission.selection, options.apis.idlePlugins),
  );
  for (const warning of warnings) logger.warn(warning);
  return { chain, dynamic, podSecurity };
}

/** The stores of the resources of this server. `api` is called for every lookup. Undefined = the resource is not served. */
export const ownStores =
  (api: () => BuiltinApi): ResourceStores<Storage> =>
  ({ group, resource }) => {
    const defined = api().resource(group, resource);
    return defined === undefined ? undefined : { storage: defined.storage, prefix: defined.store.layout.prefix };
  };
