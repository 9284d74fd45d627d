import {
  ScaleStorage,
  scaleKind,
  typedCodec,
  type GetOptions,
  type RegistryStore,
  type RequestContext,
  type ResourceVersion,
  type Result,
} from '@apichain/apiserver';
import { builtinTypes } from '@apichain/kinds';
import { FieldManager } from '@apichain/managed-fields';
import { goQuote, newInternalError } from '@apichain/meta';
import type { CrdSubresources } from '@apichain/schema';
import { at } from './scale-values.ts';

const scaleType = builtinTypes.type('autoscaling.v1.Scale');
const scaleCodec = typedCodec({ kind: scaleKind, type: scaleType });

/** The Scale of a custom resource, at the paths that its CRD names. */
export function customScale(
  scale: NonNullable<CrdSubresources['scale']>,
  store: RegistryStore,
  version: ResourceVersion,
): CustomScaleStorage {
  return new CustomScaleStorage(scale, store, version);
}

export class CustomScaleStorage extends ScaleStorage {
  readonly #specPath: string;
  readonly #store: RegistryStore;

  constructor(scale: NonNullable<CrdSubresources['scale']>, store: RegistryStore, { info, codec }: ResourceVersion) {
    const withoutDot = (path: string | undefined) => (path ?? '').replace(/^\./, '');
    const { labelSelectorPath } = scale;
    super({
      path: `${info.plural}/scale`,
      info: { ...info, kind: scaleKind, listKind: '' },
      type: scaleType,
      codec: scaleCodec,
      parent: codec,
      store,
      paths: {
        specReplicasPath: withoutDot(scale.specReplicasPath),
        statusReplicasPath: withoutDot(scale.statusReplicasPath),
        ...(labelSelectorPath
          ? {
              selector: (object) => {
                const selector = at(object, labelSelectorPath);
                return typeof selector === 'string' ? selector : '';
              },
            }
          : {}),
      },
      fieldManager: new FieldManager({
        type: scaleType,
        groupVersionKind: scaleKind,
        subresource: 'scale',
        resetFields: ['status'],
      }),
    });
    this.#specPath = scale.specReplicasPath ?? '';
    this.#store = store;
  }

  /** Without the replicas there is no Scale to show. */
  override async get(ctx: RequestContext, name: string, options: GetOptions): Promise<Result> {
    const stored = await this.#store.get(ctx, name, options);
    if (at(stored.parse(), this.#specPath) === undefined)
      throw newInternalError(`the spec replicas field ${goQuote(this.#specPath)} does not exist`);
    return super.get(ctx, name, options);
  }
}
