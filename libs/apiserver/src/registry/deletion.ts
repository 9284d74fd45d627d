import { formatTime } from '@apichain/go-text';
import {
  currentTime,
  newConflict,
  newInternalError,
  newInvalid,
  field,
  type GroupResource,
  type KubeObject,
  type ObjectMeta,
  type StatusError,
  type FieldError,
} from '@apichain/meta';
import type { RequestContext } from '@apichain/request';
import type { GarbageCollectionPolicy, GracefulDeleteOptions, Strategy } from './strategy.ts';

export const orphanFinalizer = 'orphan';
export const foregroundFinalizer = 'foregroundDeletion';

/**
 * `now` = the object is removed at once (finalizers aside); `graceful` = the object was marked and remains for its
 * grace period; `pending` = the object was marked before and this request changes nothing.
 */
export type DeletionStep = 'now' | 'graceful' | 'pending';

function checkPreconditions(kind: { group: string; kind: string }, object: KubeObject, options: GracefulDeleteOptions) {
  const { uid, resourceVersion } = options.preconditions ?? {};
  const { metadata } = object;
  // The field named `resource` holds the kind here, as in kube-apiserver; clients may rely on the message.
  const resource = { group: kind.group, resource: kind.kind };
  if (uid !== undefined && uid !== metadata.uid) {
    throw newConflict(
      resource,
      metadata.name ?? '',
      `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid ?? ''}). The object might have been deleted and then recreated`,
    );
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    throw newConflict(
      resource,
      metadata.name ?? '',
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion ?? ''}). The object might have been modified`,
    );
  }
}

/** Checks the preconditions of a delete in two steps, with the messages of the endpoints of such kinds. Throws Conflict. */
export function checkMarkPreconditions(
  resource: GroupResource,
  { metadata }: KubeObject,
  { preconditions = {} }: GracefulDeleteOptions,
): void {
  const { uid, resourceVersion } = preconditions;
  const failed = (what: string, wanted: string, found = ''): StatusError =>
    newConflict(
      resource,
      metadata.name ?? '',
      `Precondition failed: ${what} in precondition: ${wanted}, ${what} in object meta: ${found}`,
    );
  if (uid !== undefined && uid !== metadata.uid) throw failed('UID', uid, metadata.uid);
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    throw failed('ResourceVersion', resourceVersion, metadata.resourceVersion);
  }
}

/** Checks options and preconditions of a delete. Throws Invalid and Conflict. */
export function checkDeletion(
  kind: { group: string; kind: string },
  object: KubeObject,
  options: GracefulDeleteOptions,
): void {
  const errors = validateDeleteOptions(options);
  if (errors.length > 0) throw newInvalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', errors);
  checkPreconditions(kind, object, options);
}

/** Handles a second delete of a marked object, which may only shorten the grace period. */
function shortenGracePeriod(metadata: ObjectMeta, options: GracefulDeleteOptions): DeletionStep {
  const current = metadata.deletionGracePeriodSeconds;
  if (current === undefined || current === 0) return 'now';
  if (options.gracePeriodSeconds === undefined) {
    options.gracePeriodSeconds = current;
    return 'pending';
  }
  let period = options.gracePeriodSeconds;
  if (period >= current) return 'pending';
  let deletion = Date.parse(metadata.deletionTimestamp ?? '') + (period - current) * 1000;
  const now = currentTime();
  if (deletion < now) {
    deletion = now;
    if (period !== 0) period = 1;
  }
  metadata.deletionTimestamp = formatTime(new Date(deletion));
  metadata.deletionGracePeriodSeconds = period;
  return 'graceful';
}

/**
 * Decides how an object is deleted, and marks it for a graceful delete. Changes `object` and `options`.
 * Throws Invalid for bad options and Conflict for preconditions. Source: BeforeDelete of k8s.io/apiserver/pkg/registry/rest/delete.go.
 */
export function beforeDelete(
  strategy: Strategy,
  kind: { group: string; kind: string },
  ctx: RequestContext,
  object: KubeObject,
  options: GracefulDeleteOptions,
): DeletionStep {
  checkDeletion(kind, object, options);
  const { metadata } = object;
  if (options.gracePeriodSeconds !== undefined && options.gracePeriodSeconds < 0) options.gracePeriodSeconds = 1;
  if (metadata.deletionGracePeriodSeconds !== undefined && metadata.deletionGracePeriodSeconds < 0) {
    metadata.deletionGracePeriodSeconds = 1;
  }
  if (strategy.checkGracefulDelete === undefined) return 'now';
  if (metadata.deletionTimestamp !== undefined) return shortenGracePeriod(metadata, options);
  if (!strategy.checkGracefulDelete(ctx, object, options)) return 'now';
  if (options.gracePeriodSeconds === undefined) throw newInternalError('options.GracePeriodSeconds should not be nil');
  metadata.deletionTimestamp = formatTime(new Date(currentTime() + options.gracePeriodSeconds * 1000));
  metadata.deletionGracePeriodSeconds = options.gracePeriodSeconds;
  if (metadata.generation !== undefined && metadata.generation > 0) metadata.generation += 1;
  return 'graceful';
}

/** Marks an object that only waits for its finalizers. */
export function markAsDeleting(metadata: ObjectMeta): void {
  const now = currentTime();
  if (metadata.deletionTimestamp === undefined && metadata.generation !== undefined && metadata.generation > 0) {
    metadata.generation += 1;
  }
  if (metadata.deletionTimestamp === undefined || Date.parse(metadata.deletionTimestamp) > now) {
    metadata.deletionTimestamp = formatTime(new Date(now));
  }
  metadata.deletionGracePeriodSeconds = 0;
}

type Dependents = 'orphan' | 'foreground' | 'background';

function wantedForDependents(
  finalizers: readonly string[],
  options: GracefulDeleteOptions,
  policy: GarbageCollectionPolicy | undefined,
): Dependents {
  if (policy === 'Unsupported') return 'background';
  if (options.orphanDependents !== undefined) return options.orphanDependents ? 'orphan' : 'background';
  switch (options.propagationPolicy) {
    case 'Orphan':
      return 'orphan';
    case 'Foreground':
      return 'foreground';
    case 'Background':
      return 'background';
    case undefined:
      break;
  }
  for (const finalizer of finalizers) {
    if (finalizer === orphanFinalizer) return 'orphan';
    if (finalizer === foregroundFinalizer) return 'foreground';
  }
  return policy === 'OrphanDependents' ? 'orphan' : 'background';
}

/**
 * The finalizers that the garbage collector needs for the deletion policy of the request and the kind; undefined when the
 * object already has the right ones. https://kubernetes.io/docs/concepts/architecture/garbage-collection/#cascading-deletion
 */
export function finalizersForGarbageCollection(
  strategy: Strategy,
  ctx: RequestContext,
  metadata: ObjectMeta,
  options: GracefulDeleteOptions,
): string[] | undefined {
  const current = metadata.finalizers ?? [];
  const wanted = wantedForDependents(current, options, strategy.defaultGarbageCollectionPolicy?.(ctx));
  const finalizers = current.filter((f) => f !== orphanFinalizer && f !== foregroundFinalizer);
  if (wanted === 'orphan') finalizers.push(orphanFinalizer);
  if (wanted === 'foreground') finalizers.push(foregroundFinalizer);
  const present = new Set(current);
  const same = finalizers.length === present.size && finalizers.every((f) => present.has(f));
  return same ? undefined : finalizers;
}

/** Whether an update removes a marked object, because it removed the last finalizer. */
export function deletesDuringUpdate(strategy: Strategy, object: KubeObject, old: KubeObject): boolean {
  const { finalizers, deletionTimestamp, deletionGracePeriodSeconds } = object.metadata;
  if (deletionTimestamp === undefined || (finalizers?.length ?? 0) > 0) return false;
  if (deletionGracePeriodSeconds !== undefined && deletionGracePeriodSeconds !== 0) return false;
  const hadGrace = old.metadata.deletionGracePeriodSeconds;
  if (hadGrace !== undefined && hadGrace !== 0) return false;
  return strategy.shouldDeleteDuringUpdate?.(object, old) ?? true;
}

const supportedPolicies = ['Foreground', 'Background', 'Orphan', 'nil'];

/** Validates dryRun of any options: the only valid value is `All`. Source: ValidateDryRun of apimachinery meta/v1/validation. */
export function validateDryRun(values: readonly string[] | undefined): FieldError[] {
  if (values === undefined || values.length === 0) return [];
  return values.every((value) => value === 'All') ? [] : [field.notSupported('dryRun', values, ['All'])];
}

/** Source: ValidateDeleteOptions of k8s.io/apimachinery/pkg/apis/meta/v1/validation. */
export function validateDeleteOptions(options: GracefulDeleteOptions): FieldError[] {
  const errors: FieldError[] = [];
  const policy: string | undefined = options.propagationPolicy;
  if (policy !== undefined && options.orphanDependents !== undefined) {
    errors.push(
      field.invalid('propagationPolicy', policy, 'orphanDependents and deletionPropagation cannot be both set'),
    );
  }
  if (policy !== undefined && !['Foreground', 'Background', 'Orphan'].includes(policy)) {
    errors.push(field.notSupported('propagationPolicy', policy, supportedPolicies));
  }
  errors.push(...validateDryRun(options.dryRun));
  return errors;
}
