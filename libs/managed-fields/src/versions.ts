import type { KubeObject } from '@apichain/meta';
import type { Type } from '@apichain/scheme';
import { mergeSchemaOf, type MergeSchema } from './merge-schema.ts';

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

export interface VersionConverterOptions {
  readonly apiVersion: string;
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

  /** Undefined when the version is unknown: what is spelled in it is forgotten. */
  convert(from: VersionedObject, apiVersion: string): VersionedObject | undefined {
    if (from.apiVersion === apiVersion) return from;
    const type = this.#typeOf(apiVersion);
    const object = type === undefined ? undefined : this.#options.convert?.(from.object, apiVersion);
    if (type === undefined || object === undefined) return undefined;
    return { object, apiVersion, schema: mergeSchemaOf(type), typed: type.name !== undefined };
  }
}
