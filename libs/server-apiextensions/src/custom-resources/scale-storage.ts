import {
  ScaleStorage,
  scaleKind,
  typedCodec,
  type GetOptions,
  type ObjectCodec,
  type RegistryStore,
  type ResourceVersion,
  type Result,
  type TableConvertor,
  type Updater,
} from '@apichain/apiserver';
import { ageColumn, printerColumns, at } from '@apichain/custom-resources';
import { type RequestContext } from '@apichain/request';
import { builtinTypes } from '@apichain/kinds/model';
import { FieldManager } from '@apichain/managed-fields';
import {
  deepEqual,
  formatGroupVersion,
  newInternalError,
  newUnknownError,
  parseGroupVersion,
  type KubeObject,
} from '@apichain/meta';
import { goQuote } from '@apichain/go-text';
import type { CrdSubresources } from '@apichain/schema';

const scaleType = builtinTypes.type('autoscaling.v1.Scale');
/** Like the scaled resource: no strategic merge patch. */
const scaleCodec: ObjectCodec = {
  ...typedCodec({ kind: scaleKind, type: scaleType }),
  custom: true,
  decodeFailure: 'no kind is registered for the type v1.Scale in scheme "pkg/apiserver/customresource_handler.go:781"',
  schemeName: 'k8s.io/client-go/scale/util.go:146',
};

const withoutManagers = ({ metadata: { managedFields: _managers, ...metadata }, ...rest }: KubeObject) => ({
  ...rest,
  metadata,
});

function unconvertible(failed: string): Error {
  const version = formatGroupVersion(scaleKind);
  return newUnknownError(
    `failed to ${failed}${version}, Kind=${scaleKind.kind}) to proper version: request to convert CR to an invalid group/version: ${version}`,
  );
}

/**
 * kube-apiserver converts the result of an apply like the custom resource itself, which fails for a Scale. Only an apply that changes nothing
 * succeeds.
 */
class ScaleFieldManager extends FieldManager {
  protected override beforeApply(live: KubeObject | undefined): void {
    if (live !== undefined && live.metadata.managedFields === undefined)
      throw unconvertible('create manager for existing fields: failed to convert live object (/; ');
  }

  protected override afterApply(live: KubeObject | undefined, applied: KubeObject, merged: KubeObject): KubeObject {
    if (live !== undefined && deepEqual(withoutManagers(merged), withoutManagers(live))) return merged;
    const { name = '', namespace = '' } = applied.metadata;
    throw unconvertible(`convert new object (${namespace}/${name}; `);
  }
}

/** The columns are read from the Scale, not from the paths in the custom resource. */
function scaleTable({ specReplicasPath, statusReplicasPath }: NonNullable<CrdSubresources['scale']>): TableConvertor {
  const column = (name: string, description: string, jsonPath: string) => ({
    name,
    type: 'integer',
    description,
    jsonPath,
  });
  return printerColumns([
    ...(specReplicasPath ? [column('Desired', 'Number of desired replicas', '.spec.replicas')] : []),
    ...(statusReplicasPath ? [column('Available', 'Number of actual replicas', '.status.replicas')] : []),
    ageColumn,
  ]);
}

/** The Scale of a custom resource, at the paths that its CRD names. `all` has the Scale of each apiVersion, null for one without. */
export function customScale(
  scale: ScaleSubresource,
  all: Readonly<Record<string, ScaleSubresource | null>>,
  store: RegistryStore,
  version: ResourceVersion,
): CustomScaleStorage {
  return new CustomScaleStorage(scale, all, store, version);
}

type ScaleSubresource = NonNullable<CrdSubresources['scale']>;

/** Without the leading dot. What is between two dots is the name of a member, also if it has brackets. */
const memberPath = (path: string | undefined): string => (path ?? '').replace(/^\./, '');

class CustomScaleStorage extends ScaleStorage {
  readonly #specPath: string;

  constructor(
    scale: ScaleSubresource,
    all: Readonly<Record<string, ScaleSubresource | null>>,
    store: RegistryStore,
    { info, codec }: ResourceVersion,
  ) {
    const { labelSelectorPath } = scale;
    super({
      path: `${info.plural}/scale`,
      info: { ...info, kind: scaleKind, listKind: '' },
      type: scaleType,
      codec: scaleCodec,
      table: scaleTable(scale),
      parent: codec,
      store,
      versions: Object.keys(all)
        .filter((apiVersion) => all[apiVersion] !== null)
        .map((apiVersion) => ({ ...parseGroupVersion(apiVersion), resource: info.plural })),
      paths: {
        specReplicasPath: memberPath(scale.specReplicasPath),
        statusReplicasPath: memberPath(scale.statusReplicasPath),
        replicasPaths: Object.fromEntries(
          Object.entries(all).map(([apiVersion, other]) => [apiVersion, other && memberPath(other.specReplicasPath)]),
        ),
        ...(labelSelectorPath
          ? {
              selector: (object) => {
                const selector = at(object, labelSelectorPath);
                return typeof selector === 'string' ? selector : '';
              },
            }
          : {}),
      },
      fieldManager: new ScaleFieldManager({
        type: scaleType,
        groupVersionKind: scaleKind,
        subresource: 'scale',
        resetFields: ['status'],
      }),
    });
    this.#specPath = scale.specReplicasPath ?? '';
  }

  override async get(ctx: RequestContext, name: string, options: GetOptions): Promise<Result> {
    return withoutManagedFields(await super.get(ctx, name, options));
  }

  /** A Scale requires replicas. */
  protected override checkReadable(object: KubeObject): void {
    if (at(object, this.#specPath) === undefined)
      throw newInternalError(`the spec replicas field ${goQuote(this.#specPath)} does not exist`);
  }

  override async update(
    ctx: RequestContext,
    name: string,
    update: Parameters<Updater['update']>[2],
    options: Parameters<Updater['update']>[3],
  ): Promise<{ result: Result; created: boolean }> {
    const { result, created } = await super.update(ctx, name, update, options);
    return { result: withoutManagedFields(result), created };
  }
}

/** Removes managedFields from responses. The managers of the replicas are needed only for updates. */
function withoutManagedFields(scale: Result): Result {
  if ('metadata' in scale && 'managedFields' in scale.metadata) delete scale.metadata.managedFields;
  return scale;
}
