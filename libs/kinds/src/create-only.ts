import {
  typedCodec,
  type Creater,
  type ObjectCodec,
  type ObjectFieldManager,
  type ResourceInfo,
  type Result,
  type WriteOptions,
} from '@apichain/apiserver';
import { type RequestContext } from '@apichain/request';
import { FieldManager } from '@apichain/managed-fields';
import type { GroupVersionKind, KubeObject } from '@apichain/meta';
import type { Type } from '@apichain/scheme';
import { defaulterFor } from './defaults/index.ts';
import { builtinType } from './types.ts';

interface CreateOnlyOptions<T extends KubeObject = KubeObject> {
  /** `tokenreviews` or `pods/binding`. */
  readonly path: string;
  /** The resource's names and scope, with the kind that is posted. */
  readonly info: ResourceInfo;
  /** Other versions of the kind that clients may post. */
  readonly acceptedVersions?: readonly string[];
  /** The request body refers to an existing object; its uid and resourceVersion are preconditions. */
  readonly keepsSystemFields?: boolean;
  /** The response has managedFields with the caller's field manager. */
  readonly trackFields?: boolean;
  /** `T` is the type of the request body: that of the kind of `info`. */
  readonly create: (ctx: RequestContext, name: string, object: T, options: WriteOptions) => Promise<Result>;
}

/** The built-in type of a kind. Throws Error when there is none, which is a programming error. */
export function requireType(kind: GroupVersionKind): Type {
  const type = builtinType(kind);
  if (type === undefined) throw new Error(`no type for ${kind.kind} in ${kind.group}/${kind.version}`);
  return type;
}

/** A codec that decodes and defaults a built-in kind in one version. */
export function plainCodec(kind: GroupVersionKind): ObjectCodec {
  const setDefaults = defaulterFor(kind);
  return typedCodec({ kind, type: requireType(kind), setDefaults });
}

/** A resource whose objects are not stored: a POST asks a question or performs an action, and the response has the result. */
export class CreateOnlyStorage<T extends KubeObject = KubeObject> implements Creater {
  readonly path: string;
  readonly info: ResourceInfo;
  readonly type: Type;
  readonly codec: ObjectCodec;
  readonly keepsSystemFields: boolean;
  readonly fieldManager?: ObjectFieldManager;
  readonly #create: CreateOnlyOptions<T>['create'];

  constructor(options: CreateOnlyOptions<T>) {
    const { kind } = options.info;
    this.path = options.path;
    this.info = options.info;
    this.type = requireType(kind);
    this.keepsSystemFields = options.keepsSystemFields === true;
    const { acceptedVersions } = options;
    this.codec = { ...plainCodec(kind), acceptedVersions };
    if (options.trackFields === true) {
      const subresource = options.path.split('/')[1] ?? '';
      this.fieldManager = new FieldManager({ type: this.type, groupVersionKind: kind, subresource });
    }
    this.#create = options.create;
  }

  create(ctx: RequestContext, name: string, object: T, options: WriteOptions): Promise<Result> {
    return this.#create(ctx, name, object, options);
  }
}
