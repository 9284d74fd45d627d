import {
  checkMarkPreconditions,
  defineResource,
  lazyTable,
  storageVersionHash,
  StoredResource,
  typedCodec,
  updateManagedFields,
  type DefinedResource,
  type ResourceDefinition,
  type ResourceInfo,
  type ResourceStorage,
  type SubresourceStorage,
} from '@apichain/apiserver';
import type { RequestContext, Workers } from '@apichain/request';
import { builtinType, fieldDescription } from '@apichain/kinds/model';
import { currentTimestamp, deepClone, newNotFound, pause, type KubeObject } from '@apichain/meta';
import { defaultCrd, type CustomResourceDefinition } from '@apichain/schema';
import { nameColumn } from '@apichain/custom-resources';
import { KeyNotFoundError, readStored } from '@apichain/storage';
import { cleanupFinalizer, condition, setCondition } from './conditions.ts';
import type { CrdChecks } from './crd-checks.ts';
import { readBetaCrd } from './beta-crd.ts';
import { storedCrds } from './stored-crd.ts';
import { asCrd, crdStatusStrategy, crdStrategy } from './crd-strategy.ts';

export const crdGroupVersion = { group: 'apiextensions.k8s.io', version: 'v1' } as const;
export const crdKind = { ...crdGroupVersion, kind: 'CustomResourceDefinition' } as const;
export const crdGroupResource = { group: crdGroupVersion.group, resource: 'customresourcedefinitions' } as const;
export const crdPrefix = '/apiextensions.k8s.io/customresourcedefinitions';

const info: ResourceInfo = {
  kind: crdKind,
  listKind: 'CustomResourceDefinitionList',
  plural: crdGroupResource.resource,
  singular: 'customresourcedefinition',
  namespaced: false,
  shortNames: ['crd', 'crds'],
  categories: ['api-extensions'],
};

const crdTable = lazyTable(
  () => [
    nameColumn(),
    {
      name: 'Created At',
      type: 'date',
      format: '',
      description: fieldDescription('meta.v1.ObjectMeta.creationTimestamp'),
      priority: 0,
    },
  ],
  ({ metadata }) => ({ cells: [metadata.name ?? '', metadata.creationTimestamp ?? null] }),
  ([first, second]) => first !== 'metadata' || second === 'managedFields',
);

/** The CustomResourceDefinition resource and its interface for the controllers. */
export interface CrdResource {
  readonly defined: DefinedResource;
  readonly storages: readonly ResourceStorage[];
  /** Whether the store has a CRD of the same name. */
  isDefined(crd: CustomResourceDefinition): Promise<boolean>;
  /**
   * Writes a status with the rules of the status endpoint, as manager `kube-apiserver`. `change` returns false when there is nothing left to
   * write. The managed fields of a large definition are computed in the worker threads. Throws Conflict when the CRD has changed since `seen` was read.
   */
  updateStatus(
    ctx: RequestContext,
    seen: CustomResourceDefinition,
    change: (crd: CustomResourceDefinition) => boolean | Promise<boolean>,
    workers: Workers | undefined,
  ): Promise<void>;
}

export function defineCrdResource(openStorage: ResourceDefinition['openStorage'], checks: CrdChecks): CrdResource {
  const type = builtinType(crdKind);
  if (type === undefined) throw new Error('the table of types has no CustomResourceDefinition');
  const strategy = crdStrategy(checks);
  const defined = defineResource({
    prefix: crdPrefix,
    openStorage,
    fromForeign: readBetaCrd,
    foreignLooksOwn: true,
    storedForm: storedCrds(type),
    strategy,
    subresources: { status: crdStatusStrategy(strategy) },
    versions: [
      {
        info,
        type,
        codec: typedCodec({ kind: crdKind, type, setDefaults: (object) => defaultCrd(asCrd(object)) }),
        table: crdTable,
        // kube-apiserver derives the hash from v1beta1, the version in which CRDs were first stored.
        storageVersionHash: storageVersionHash({ ...crdKind, version: 'v1beta1' }),
      },
    ],
  });
  const storages = defined.storagesOf(crdGroupVersion);
  for (const storage of storages) if (storage instanceof StoredResource) markOnDelete(storage, defined);
  const status = storages.find((s): s is SubresourceStorage => s.path === `${info.plural}/status`);
  if (status === undefined) throw new Error('customresourcedefinitions have no status endpoint');
  const isDefined = async ({ metadata: { name = '' } }: CustomResourceDefinition): Promise<boolean> => {
    try {
      await defined.storage.get(`${crdPrefix}/${name}`, { resourceVersion: '' });
      return true;
    } catch (error) {
      if (error instanceof KeyNotFoundError) return false;
      throw error;
    }
  };
  return {
    defined,
    storages,
    isDefined,
    updateStatus: (ctx, seen, change, workers) => updateStatus({ status, workers }, ctx, seen, change),
  };
}

/** The first delete of a CRD only sets its deletionTimestamp. The finalizer controller deletes the instances before the CRD is removed. */
function markOnDelete(resource: StoredResource, defined: DefinedResource): void {
  const plainDelete = resource.delete.bind(resource);
  resource.delete = async (ctx, name, options, validate) => {
    const current = await readStored(await defined.store.get(ctx, name, { resourceVersion: '' }));
    checkMarkPreconditions(crdGroupResource, current, options);
    await pause();
    if (current.metadata.deletionTimestamp) return plainDelete(ctx, name, options, validate);
    if (isDryRun(options.dryRun)) return { result: await marked(current, validate), deleted: false };
    const result = await defined.storage.guaranteedUpdate(defined.store.key(ctx, name), {
      ignoreNotFound: false,
      preconditions: options.preconditions,
      signal: ctx.signal,
      tryUpdate: async (stored) => {
        if (stored === undefined) throw newNotFound(crdGroupResource, name);
        return { object: await marked(await readStored(stored), validate) };
      },
    });
    return { result, deleted: false };
  };
}

const isDryRun = (dryRun: readonly string[] | undefined) => dryRun !== undefined && dryRun.length > 0;

async function marked(
  stored: KubeObject,
  validate: ((object: KubeObject) => Promise<void>) | undefined,
): Promise<KubeObject> {
  const crd = asCrd(stored);
  await validate?.(crd);
  crd.metadata.deletionTimestamp ??= currentTimestamp();
  if (!(crd.metadata.finalizers ?? []).includes(cleanupFinalizer))
    crd.metadata.finalizers = [...(crd.metadata.finalizers ?? []), cleanupFinalizer];
  setCondition(
    crd,
    condition(
      'Terminating',
      'True',
      'InstanceDeletionPending',
      'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
    ),
  );
  return crd;
}

const manager = 'kube-apiserver';

async function updateStatus(
  { status, workers }: { readonly status: SubresourceStorage; readonly workers: Workers | undefined },
  ctx: RequestContext,
  seen: CustomResourceDefinition,
  change: (crd: CustomResourceDefinition) => boolean | Promise<boolean>,
): Promise<void> {
  const { fieldManager } = status;
  await status.update(
    ctx,
    seen.metadata.name ?? '',
    async (current, json) => {
      if (current === undefined) throw newNotFound(crdGroupResource, seen.metadata.name ?? '');
      const updated = asCrd(deepClone(current));
      if (seen.metadata.resourceVersion !== undefined) updated.metadata.resourceVersion = seen.metadata.resourceVersion;
      if (!(await change(updated))) return deepClone(current);
      if (fieldManager === undefined) return updated;
      return updateManagedFields(fieldManager, { object: current, json }, updated, manager, workers);
    },
    { dryRun: false, fieldManager: manager, fieldValidation: 'Ignore', forceAllowCreate: false },
  );
}
