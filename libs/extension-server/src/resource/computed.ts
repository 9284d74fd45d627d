import {
  selectionPredicate,
  type Connecter,
  type Creater,
  type Getter,
  type Lister,
  type ListOptions,
  type ResourceStorage,
  type Result,
  type Watcher,
} from '@apichain/apiserver';
import { printerColumns, selectableFields } from '@apichain/custom-resources';
import {
  deepClone,
  formatGroupVersion,
  isStatusError,
  lookupTable,
  newInvalid,
  newNotFound,
  pause,
  stringifyJson,
  type FieldError,
  type KubeObject,
} from '@apichain/meta';
import type { RequestContext } from '@apichain/request';
import type { SelectionPredicate, StoredList, StoredObject, WatchEvent, WatchStream } from '@apichain/storage';
import { metadataAttributes } from '@apichain/storage';
import type { ComputedFunctions, ResourceDefinition } from './definition.ts';
import type { ConnectOptions } from './resource-options.ts';
import { codecOf, compileSchemas, completeObject, infoOf } from './version-schemas.ts';

type Changes = ReturnType<NonNullable<ComputedFunctions['watch']>>;
type Complete = (fields: object) => KubeObject;
type ValuesOf = (object: KubeObject) => Record<string, string>;

/** A computed object in the form of a stored one. Its revision is 0, because there is no store. */
function computedObject(object: KubeObject, valuesOf: ValuesOf): StoredObject {
  const attributes = metadataAttributes(object);
  return {
    key: `${attributes.namespace}/${attributes.name}`,
    revision: 0,
    json: Buffer.from(stringifyJson(object)),
    attributes: { ...attributes, fields: { ...valuesOf(object), ...attributes.fields } },
    parse: () => deepClone(object),
    shapes: new Map(),
  };
}

/** The storages of a computed resource: one for the resource, and one for each subresource that connects. */
export function computedResource(definition: ResourceDefinition, functions: ComputedFunctions): ResourceStorage[] {
  const schemas = compileSchemas(definition);
  const [version] = definition.crd.spec.versions;
  if (version === undefined) throw new Error('a computed resource has one version');
  const info = infoOf(definition, version);
  const schema = schemas.get(version.name);
  if (schema === undefined) throw new Error(`version ${version.name} has no schema`);
  const selectable = selectableFields(version.selectableFields, info.namespaced);
  const labels = new Set(selectable.labels);
  const complete: Complete = (fields) => completeObject(fields, formatGroupVersion(info.kind), info.kind.kind);
  const codec = codecOf(definition, version, schemas);
  const base: ResourceStorage = {
    path: info.plural,
    info,
    type: schema.type,
    codec,
    table: printerColumns(version.additionalPrinterColumns),
    convertFieldLabel: (label, value) => {
      if (!labels.has(label)) throw new Error(`field label not supported: ${label}`);
      return { field: label, value };
    },
  };
  const context: ComputedContext = { base, complete, valuesOf: selectable.values };
  const { [ownPath]: own, ...connect } = functions.connect;
  const storages: ResourceStorage[] = [
    {
      ...base,
      ...getter(context, functions),
      ...lister(context, functions),
      ...watcher(context, functions),
      ...creater(context, functions, (object) => schema.validator.validate(object, '')),
      ...(own === undefined ? {} : connecter(own)),
    },
  ];
  for (const [name, options] of Object.entries(lookupTable(connect)))
    storages.push({ ...base, path: `${info.plural}/${name}`, ...connecter(options) });
  return storages;
}

/** The name of the resource itself among the paths that connect. */
const ownPath = '';

interface ComputedContext {
  readonly base: ResourceStorage;
  readonly complete: Complete;
  readonly valuesOf: ValuesOf;
}

function getter({ base, complete }: ComputedContext, { get }: ComputedFunctions): Partial<Getter> {
  if (get === undefined) return {};
  const { kind, plural } = base.info;
  return {
    async get(ctx, name): Promise<Result> {
      const found = await get(name, ctx);
      if (found === undefined) throw newNotFound({ group: kind.group, resource: plural }, name);
      return complete(found);
    },
  };
}

function lister({ base, complete, valuesOf }: ComputedContext, { list }: ComputedFunctions): Partial<Lister> {
  if (list === undefined) return {};
  return {
    async list(ctx, options): Promise<StoredList> {
      const selected = selectionPredicate(options, base);
      const objects = await list(ctx);
      return { items: await select(objects, complete, valuesOf, selected), revision: 0 };
    },
  };
}

async function select(
  objects: readonly object[],
  complete: Complete,
  valuesOf: ValuesOf,
  selected: SelectionPredicate,
): Promise<StoredObject[]> {
  const items: StoredObject[] = [];
  for (const one of objects) {
    const item = computedObject(complete(one), valuesOf);
    if (selected.matches(item.attributes)) items.push(item);
    const wait = pause();
    if (wait !== undefined) await wait;
  }
  return items;
}

function watcher({ base, complete, valuesOf }: ComputedContext, { watch }: ComputedFunctions): Partial<Watcher> {
  if (watch === undefined) return {};
  return {
    watch(ctx: RequestContext, options: ListOptions): Promise<WatchStream> {
      const selected = selectionPredicate(options, base);
      const stopped = new AbortController();
      const { requestInfo, query, user, userAgent } = ctx;
      const signal = AbortSignal.any([ctx.signal, stopped.signal]);
      const events = watch({ requestInfo, query, user, userAgent, signal, warn: (text) => ctx.warn(text) });
      const read = (object: object) => computedObject(complete(object), valuesOf);
      return Promise.resolve(new ComputedWatch(events, read, selected, stopped));
    },
  };
}

/**
 * Reads the events of a definition one after the other, each when the client has taken the one before. A StatusError becomes the last event,
 * because the response has begun.
 */
class ComputedWatch implements WatchStream {
  readonly #events: ReturnType<Changes[typeof Symbol.asyncIterator]>;
  readonly #read: (object: object) => StoredObject;
  readonly #selected: SelectionPredicate;
  readonly #source: AbortController;
  readonly #stopped = Promise.withResolvers<undefined>();
  #hasFailed = false;

  /** `source` aborts the signal of the function that gives the events. */
  constructor(
    events: Changes,
    read: (object: object) => StoredObject,
    selected: SelectionPredicate,
    source: AbortController,
  ) {
    this.#source = source;
    this.#events = events[Symbol.asyncIterator]();
    this.#read = read;
    this.#selected = selected;
  }

  async next(): Promise<readonly WatchEvent[] | undefined> {
    if (this.#hasFailed) return undefined;
    try {
      return await this.#nextEvent();
    } catch (error) {
      if (!isStatusError(error)) throw error;
      this.#hasFailed = true;
      return [{ type: 'ERROR', revision: 0, status: error.status, frames: new Map() }];
    }
  }

  async #nextEvent(): Promise<readonly WatchEvent[] | undefined> {
    for (;;) {
      const result = await Promise.race([this.#events.next(), this.#stopped.promise]);
      if (result === undefined || result.done === true) return undefined;
      const object = this.#read(result.value.object);
      if (!this.#selected.matches(object.attributes)) continue;
      return [{ type: result.value.type, object, revision: object.revision, frames: new Map() }];
    }
  }

  stop(): void {
    this.#stopped.resolve(undefined);
    this.#source.abort();
    // The client is gone: nobody is left to hear of an error of the source.
    this.#events.return?.().catch(() => undefined);
  }
}

function creater(
  { base, complete }: ComputedContext,
  { create }: ComputedFunctions,
  validate: (object: KubeObject) => FieldError[],
): Partial<Creater> {
  if (create === undefined) return {};
  const { kind } = base.info;
  return {
    async create(ctx, name, object, options): Promise<Result> {
      const errors = validate(object);
      if (errors.length > 0) throw newInvalid(kind, object.metadata.name ?? name, errors);
      await options.validateCreate?.(object);
      return complete(await create(object, ctx));
    },
  };
}

function connecter({ methods, handle }: ConnectOptions): Pick<Connecter, 'connectMethods' | 'connect'> {
  return {
    connectMethods: methods,
    connect: async (ctx, name, subpath, request, response) => handle({ name, subpath, request, response, ctx }),
  };
}
