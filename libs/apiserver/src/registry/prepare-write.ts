import {
  newInvalid,
  newInternalError,
  pause,
  type FieldError,
  type KubeObject,
  validateObjectMeta,
  validateObjectMetaUpdate,
  validatePathSegmentName,
  type ObjectMeta,
} from '@apichain/meta';
import type { RequestContext } from '@apichain/request';
import type { Strategy } from './strategy.ts';
import { ensureNamespace } from './system-metadata.ts';

/** The generic metadata validation, with the default name rule. */
const validateMetadata = (metadata: ObjectMeta, namespaced: boolean): FieldError[] =>
  validateObjectMeta(metadata, namespaced, validatePathSegmentName, 'metadata');

/** Checks the metadata fields that an update must not change. */
const validateMetadataUpdate = (metadata: ObjectMeta, old: ObjectMeta): FieldError[] =>
  validateObjectMetaUpdate(metadata, old, 'metadata');

/** Errors name the kind that the object states. For a custom resource it may differ from the served kind. */
const invalid = (group: string, kind: string, object: KubeObject, errors: FieldError[]) =>
  newInvalid({ group, kind }, object.metadata.name ?? '', errors);

/**
 * All steps between decoding and storing on create: strategy, validation, warnings. Other requests may run between two steps
 * over a large object. Throws Invalid.
 * Source: BeforeCreate of k8s.io/apiserver/pkg/registry/rest/create.go.
 */
export async function beforeCreate(
  strategy: Strategy,
  group: string,
  ctx: RequestContext,
  object: KubeObject,
): Promise<void> {
  const { metadata, kind: stated } = object;
  if (metadata.uid === undefined || metadata.creationTimestamp === undefined) {
    throw newInternalError('system metadata was not initialized');
  }
  ensureNamespace(object, strategy.namespaceScoped, ctx.requestInfo.namespace);
  await pause();
  await strategy.prepareForCreate?.(ctx, object);
  await pause();
  const errors = (await strategy.validate?.(ctx, object)) ?? [];
  if (errors.length > 0) throw invalid(group, stated, object, errors);
  await pause();
  const metadataErrors = validateMetadata(object.metadata, strategy.namespaceScoped);
  if (metadataErrors.length > 0) throw invalid(group, stated, object, metadataErrors);
  await pause();
  for (const warning of (await strategy.warningsOnCreate?.(ctx, object)) ?? []) ctx.warn(warning);
  await pause();
  strategy.canonicalize?.(object);
}

/** Restores the metadata that an update cannot change. */
function keepServerMetadata(object: KubeObject, old: KubeObject): void {
  const { metadata } = object;
  if (metadata.uid === undefined || metadata.uid === '') metadata.uid = old.metadata.uid;
  if (old.metadata.creationTimestamp) metadata.creationTimestamp = old.metadata.creationTimestamp;
  if (old.metadata.deletionTimestamp) metadata.deletionTimestamp = old.metadata.deletionTimestamp;
  metadata.deletionGracePeriodSeconds ??= old.metadata.deletionGracePeriodSeconds;
}

function keepGeneration(object: KubeObject, old: KubeObject): void {
  if (old.metadata.generation === undefined) delete object.metadata.generation;
  else object.metadata.generation = old.metadata.generation;
}

/**
 * The same steps on update; `old` is the stored object. Throws Invalid.
 * Source: BeforeUpdate of k8s.io/apiserver/pkg/registry/rest/update.go.
 */
export async function beforeUpdate(
  strategy: Strategy,
  group: string,
  ctx: RequestContext,
  object: KubeObject,
  old: KubeObject,
): Promise<void> {
  const stated = object.kind;
  ensureNamespace(object, strategy.namespaceScoped, ctx.requestInfo.namespace);
  keepGeneration(object, old);
  await pause();
  await strategy.prepareForUpdate?.(ctx, object, old);
  await pause();
  keepServerMetadata(object, old);
  const errors =
    strategy.storesUnchecked === true
      ? []
      : [
          ...validateMetadata(object.metadata, strategy.namespaceScoped),
          ...validateMetadataUpdate(object.metadata, old.metadata),
          ...((await strategy.validateUpdate?.(ctx, object, old)) ?? []),
        ];
  if (errors.length > 0) throw invalid(group, stated, object, errors);
  await pause();
  for (const warning of (await strategy.warningsOnUpdate?.(ctx, object, old)) ?? []) ctx.warn(warning);
  await pause();
  strategy.canonicalize?.(object);
}
