import {
  formatGroupVersion,
  isStatusError,
  oncePerObject,
  parseGroupVersion,
  type GroupVersionKind,
  type KubeObject,
} from '@apichain/meta';
import { goQuote } from '@apichain/go-text';
import type { Type } from '@apichain/scheme';
import type { FieldManagerOptions } from './field-manager-options.ts';
import { mergeSchemaOf, type MergeSchema } from './merge-schema.ts';
import { formatErrors, validate } from './validate.ts';

/** An object with the type information that the engine needs. */
export interface VersionedObject {
  readonly object: KubeObject;
  readonly apiVersion: string;
  readonly schema: MergeSchema;
  /** Whether its fields follow Go's encoder: zero values count. */
  readonly typed: boolean;
}

/** Thrown when an object cannot be converted to the version of a manager's set, and that manager must not be silently removed. */
export class ConversionError extends Error {
  override readonly name = 'ConversionError';
  /** The same error, with the step that needed the conversion as a prefix. */
  within(step: string): ConversionError {
    return new ConversionError(`${step}: ${this.message}`);
  }
}

/** The result of a step. Adds its name to the message of a ConversionError. */
export async function within<T>(step: string, result: Promise<T>): Promise<T> {
  try {
    return await result;
  } catch (error) {
    throw error instanceof ConversionError ? error.within(step) : error;
  }
}

export interface VersionConverterOptions {
  readonly apiVersion: string;
  /** For a custom resource: its kind in the storage version, through which all conversions go. */
  readonly hub: GroupVersionKind;
  readonly type: Type;
  /** Converts an object to another known version. */
  readonly convert?: FieldManagerOptions['convert'];
  /** The types of the kind in the known versions, by apiVersion. */
  readonly versions?: ReadonlyMap<string, Type> | undefined;
}

/** Converts objects to the version of a manager's set. */
export class VersionConverter {
  readonly #options: VersionConverterOptions;
  constructor(options: VersionConverterOptions) {
    this.#options = options;
  }

  #typeOf(apiVersion: string): Type | undefined {
    return apiVersion === this.#options.apiVersion ? this.#options.type : this.#options.versions?.get(apiVersion);
  }

  /**
   * Converts an object to a version. Undefined when the version of a built-in kind is unknown: sets of that version are then removed. Rejects with
   * ConversionError for an unknown version of a custom resource, when its webhook fails, and when the converted object does not match the schema.
   * Source: k8s.io/apiextensions-apiserver/pkg/apiserver/conversion/converter.go.
   */
  async convert(from: VersionedObject, apiVersion: string): Promise<VersionedObject | undefined> {
    if (from.apiVersion === apiVersion) return from;
    const known = this.#conversionsOf(from);
    let conversion = known.get(apiVersion);
    if (conversion === undefined) known.set(apiVersion, (conversion = this.#convert(from, apiVersion)));
    return conversion;
  }

  /** Each is made once for an object, because a webhook may make it: an update needs the live one in a manager's version twice. */
  readonly #conversionsOf = oncePerObject(
    (_from: VersionedObject) => new Map<string, Promise<VersionedObject | undefined>>(),
  );

  async #convert(from: VersionedObject, apiVersion: string): Promise<VersionedObject | undefined> {
    const type = this.#typeOf(apiVersion);
    const object = type === undefined ? undefined : await this.#converted(from.object, apiVersion);
    if (type === undefined || object === undefined) return this.#unknown(from, apiVersion);
    const schema = mergeSchemaOf(type);
    const errors = from.typed ? [] : validate(schema, object);
    if (errors.length > 0) throw new ConversionError(formatErrors(errors));
    return { object, apiVersion, schema, typed: type.name !== undefined };
  }

  async #converted(object: KubeObject, apiVersion: string): Promise<KubeObject | undefined> {
    try {
      return await this.#options.convert?.(object, apiVersion);
    } catch (error) {
      throw isStatusError(error) ? new ConversionError(error.message) : error;
    }
  }

  #unknown({ typed }: VersionedObject, apiVersion: string): undefined {
    if (apiVersion.split('/').length > 2) throw new ConversionError(`unexpected GroupVersion string: ${apiVersion}`);
    if (typed) return undefined;
    const { hub } = this.#options;
    if (parseGroupVersion(apiVersion).group === hub.group)
      throw new ConversionError(`request to convert CR to an invalid group/version: ${apiVersion}`);
    throw new ConversionError(
      `${formatGroupVersion(hub)}, Kind=${hub.kind} is unstructured and is not suitable for converting to ${goQuote(apiVersion)}`,
    );
  }
}
