import { formatGroupVersion, parseGroupVersion, type GroupVersionKind, type KubeObject } from '@apichain/meta';
import { goQuote } from '@apichain/go-text';
import type { Type } from '@apichain/scheme';
import { mergeSchemaOf, type MergeSchema } from './merge-schema.ts';
import { formatErrors, validate } from './validate.ts';

/** An object with what the engine must know to look into it. */
export interface VersionedObject {
  readonly object: KubeObject;
  readonly apiVersion: string;
  readonly schema: MergeSchema;
  /** Its fields follow Go's encoder: zero values count. */
  readonly typed: boolean;
}

/** Thrown by a `convert` whose answer has to be waited for; whoever computes starts over when it is there. */
export class PendingConversion extends Error {
  readonly object: KubeObject;
  readonly apiVersion: string;
  constructor(object: KubeObject, apiVersion: string) {
    super(`conversion to ${apiVersion} is pending`);
    this.object = object;
    this.apiVersion = apiVersion;
  }
}

/** Thrown where a version cannot be had of an object, and the manager whose set is spelled in it is not simply forgotten. */
export class ConversionError extends Error {
  override readonly name = 'ConversionError';
  /** The same within the step that needed it. */
  within(step: string): ConversionError {
    return new ConversionError(`${step}: ${this.message}`);
  }
}

/** Runs a step; conversions that fail in it say so. */
export function within<T>(step: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw error instanceof ConversionError ? error.within(step) : error;
  }
}

export interface VersionConverterOptions {
  readonly apiVersion: string;
  /** Of a custom resource: its kind in the version of the store, through which all conversions go. */
  readonly hub: GroupVersionKind;
  readonly type: Type;
  /** The object in another served version; undefined when that version is not (or no longer) known. */
  readonly convert?: ((object: KubeObject, apiVersion: string) => KubeObject | undefined) | undefined;
  /** The type of the kind in another served version. */
  readonly typeOf?: ((apiVersion: string) => Type | undefined) | undefined;
}

/** Shows objects in the version in which a manager's set is spelled. */
export class VersionConverter {
  readonly #options: VersionConverterOptions;
  constructor(options: VersionConverterOptions) {
    this.#options = options;
  }

  #typeOf(apiVersion: string): Type | undefined {
    return apiVersion === this.#options.apiVersion ? this.#options.type : this.#options.typeOf?.(apiVersion);
  }

  /**
   * Undefined when the version of a built-in kind is unknown: what is spelled in it is forgotten. Throws ConversionError for an
   * unknown version of a custom resource, and for one in whose schema it does not fit.
   * Source: k8s.io/apiextensions-apiserver/pkg/apiserver/conversion/converter.go.
   */
  convert(from: VersionedObject, apiVersion: string): VersionedObject | undefined {
    if (from.apiVersion === apiVersion) return from;
    const type = this.#typeOf(apiVersion);
    const object = type === undefined ? undefined : this.#options.convert?.(from.object, apiVersion);
    if (type === undefined || object === undefined) return this.#unknown(from, apiVersion);
    const schema = mergeSchemaOf(type);
    const errors = from.typed ? [] : validate(schema, object);
    if (errors.length > 0) throw new ConversionError(formatErrors(errors));
    return { object, apiVersion, schema, typed: type.name !== undefined };
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
