import {
  newBadRequest,
  newUnknownError,
  parseGroupVersion,
  type GroupVersionKind,
  type KubeObject,
} from '@apichain/meta';
import type { FieldManagerOptions } from './field-manager-options.ts';
import { mergeSchemaOf, type MergeSchema } from './merge-schema.ts';
import { admitsKeylessItems, admitsMisfits, hasMisfit, misfitsOf } from './misfits.ts';
import { metadataOf } from './object-managed-fields.ts';
import { formatErrors, validate } from './validate.ts';

const formatKind = ({ group, version, kind }: GroupVersionKind): string => `${group}/${version}, Kind=${kind}`;

function kindOf(object: KubeObject): GroupVersionKind {
  const apiVersion = typeof object.apiVersion === 'string' ? object.apiVersion : '';
  const kind = typeof object.kind === 'string' ? object.kind : '';
  try {
    return { ...parseGroupVersion(apiVersion), kind };
  } catch {
    return { group: '', version: '', kind: '' };
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function subjectOf(object: KubeObject): string {
  const { namespace, name }: Record<string, unknown> = { ...metadataOf(object) };
  return `${textOf(namespace)}/${textOf(name)}; ${formatKind(kindOf(object))}`;
}

/**
 * Checks that the objects of an endpoint match the type by which their fields are tracked: structured-merge-diff cannot create a typed value of
 * other objects. Most objects are known to match, because validation rejects the others. So `admitsMisfits` is computed once, and objects are
 * checked only where it is true. Source of the messages: structuredmerge.go of k8s.io/apimachinery/pkg/util/managedfields/internal.
 */
export class TypeCheck {
  readonly #options: FieldManagerOptions;
  readonly #schema: MergeSchema;
  readonly #typed: boolean;
  readonly #admitsMisfits: boolean;

  constructor(options: FieldManagerOptions) {
    const { type } = options;
    this.#options = options;
    this.#schema = mergeSchemaOf(type);
    this.#typed = type.name !== undefined;
    this.#admitsMisfits = this.#typed
      ? admitsKeylessItems(type)
      : options.typeHasChanged === true || admitsMisfits(type);
  }

  /**
   * Whether the fields of a written object can be tracked. Validation rejects most objects that do not match later, unless they were stored before
   * the type changed. Validation does not cover the fields that the endpoint resets: the status in a write of the main resource, the rest in a write
   * of the status. Objects with a Go type match, except for keyed lists; otherwise they could not have been decoded.
   */
  fits(updated: KubeObject): boolean {
    if (this.#typed) return !this.#admitsMisfits || this.#hasNoMisfit(updated);
    if (updated.kind !== this.#options.groupVersionKind.kind) return false;
    if (this.#admitsMisfits || (this.#options.subresource ?? '') !== '') return this.#hasNoMisfit(updated);
    if (this.#options.resetFields === undefined) return true;
    const status = this.#schema.map?.fields.get('status')?.schema;
    return updated['status'] === undefined || status === undefined || !hasMisfit(status, updated['status']);
  }

  /** Like `fits`, for the live object, which may have been written with an earlier type. */
  liveFits(live: KubeObject | undefined): boolean {
    return live === undefined || this.#typed || !this.#admitsMisfits || this.#hasNoMisfit(live);
  }

  #hasNoMisfit(object: KubeObject): boolean {
    return !hasMisfit(this.#schema, { ...object, metadata: undefined });
  }

  /**
   * Throws StatusError 500 when the live object does not match its schema, because no configuration can be merged into it. `failure` and `purpose`
   * surround the object's name in the message.
   */
  checkLive(live: KubeObject | undefined, failure: string, purpose: string): void {
    if (live === undefined || !this.#admitsMisfits) return;
    const errors = misfitsOf(this.#schema, { ...live, metadata: undefined });
    if (errors.length > 0) throw newUnknownError(`${failure} (${subjectOf(live)})${purpose}: ${formatErrors(errors)}`);
  }

  /**
   * Checks an applied configuration. Throws StatusError: 400 for another kind or managedFields in it, 500 when it does not match the schema.
   */
  checkApplied(applied: KubeObject): void {
    const kind = formatKind(kindOf(applied));
    if (kind !== formatKind(this.#options.groupVersionKind)) throw newBadRequest(`invalid object type: ${kind}`);
    if (Array.isArray(metadataOf(applied).managedFields)) throw newBadRequest('metadata.managedFields must be nil');
    const errors = validate(this.#schema, applied);
    if (errors.length === 0) return;
    throw newUnknownError(`failed to create typed patch object (${subjectOf(applied)}): ${formatErrors(errors)}`);
  }
}
