import type { AdmissionPlugin } from '@apichain/admission';
import { isRecord, isStatusError, lookupTable, newInternalError } from '@apichain/meta';
import type { ComputedFunctions, ResourceDefinition, StoredHooks } from './definition.ts';
import type { ConnectOptions } from './resource-options.ts';

/** Logs an error of a program's function. `what` names the function, e.g. `validate of shops.example.com`. */
export type ReportError = (error: unknown, what: string) => void;

/**
 * The definition with its functions guarded. A StatusError is the response that the function wants. Any other error is a fault of the program: it is
 * reported, and the client gets InternalError without the text of the error, which may contain what the client must not see.
 */
export function withReportedErrors(definition: ResourceDefinition, report: ReportError): ResourceDefinition {
  const { crd, defaults, conversions, hooks, computed } = definition;
  const guard = new Guard(` of ${crd.metadata.name ?? ''}`, report);
  return {
    ...definition,
    defaults: mapped(defaults, (set) => guard.now('defaults', set)),
    conversions: mapped(conversions, ({ toStorage, fromStorage }) => ({
      toStorage: guard.now('toStorage', (object) => resultOf(toStorage(object))),
      fromStorage: guard.now('fromStorage', (object) => resultOf(fromStorage(object))),
    })),
    hooks: guardedHooks(hooks, guard),
    ...(computed === undefined ? {} : { computed: guardedFunctions(computed, guard) }),
  };
}

/** The plugins of a program, guarded like the functions of a definition. */
export function withReportedPluginErrors(plugins: readonly AdmissionPlugin[], report: ReportError): AdmissionPlugin[] {
  return plugins.map((plugin) => {
    const guard = new Guard(` of admission plugin ${plugin.name}`, report);
    const { name, handles } = plugin;
    const admit = plugin.admit?.bind(plugin);
    const validate = plugin.validate?.bind(plugin);
    return {
      ...{ name, handles },
      ...(admit === undefined ? {} : { admit: guard.later('admit', admit) }),
      ...(validate === undefined ? {} : { validate: guard.later('validate', validate) }),
    };
  });
}

function guardedHooks(
  { prepareForCreate, prepareForUpdate, validate, validateUpdate }: StoredHooks,
  guard: Guard,
): StoredHooks {
  return {
    ...(prepareForCreate === undefined ? {} : { prepareForCreate: guard.later('prepareForCreate', prepareForCreate) }),
    ...(prepareForUpdate === undefined ? {} : { prepareForUpdate: guard.later('prepareForUpdate', prepareForUpdate) }),
    ...(validate === undefined
      ? {}
      : {
          validate: guard.later('validate', async (...call: Parameters<typeof validate>) =>
            listOf(await validate(...call)),
          ),
        }),
    ...(validateUpdate === undefined
      ? {}
      : {
          validateUpdate: guard.later('validateUpdate', async (...call: Parameters<typeof validateUpdate>) =>
            listOf(await validateUpdate(...call)),
          ),
        }),
  };
}

function guardedFunctions({ get, list, watch, create, connect }: ComputedFunctions, guard: Guard): ComputedFunctions {
  return {
    ...(get === undefined
      ? {}
      : {
          get: guard.later('get', async (...call: Parameters<typeof get>) => {
            const object = await get(...call);
            return object === undefined ? undefined : resultOf(object);
          }),
        }),
    ...(list === undefined
      ? {}
      : { list: guard.later('list', async (...call: Parameters<typeof list>) => listOf(await list(...call))) }),
    ...(watch === undefined ? {} : { watch: (ctx) => guard.events(() => watch(ctx)) }),
    ...(create === undefined
      ? {}
      : {
          create: guard.later('create', async (...call: Parameters<typeof create>) => resultOf(await create(...call))),
        }),
    connect: mapped(connect, ({ methods, handle }): ConnectOptions => ({
      methods,
      handle: guard.later('connect', handle),
    })),
  };
}

class Guard {
  readonly #owner: string;
  readonly #report: ReportError;

  constructor(owner: string, report: ReportError) {
    this.#owner = owner;
    this.#report = report;
  }

  now<Arguments extends unknown[], R>(name: string, call: (...given: Arguments) => R): (...given: Arguments) => R {
    return (...given) => {
      try {
        return call(...given);
      } catch (error) {
        throw this.#reported(name, error);
      }
    };
  }

  later<Arguments extends unknown[], R>(
    name: string,
    call: (...given: Arguments) => R | Promise<R>,
  ): (...given: Arguments) => Promise<R> {
    return async (...given) => {
      try {
        return await call(...given);
      } catch (error) {
        throw this.#reported(name, error);
      }
    };
  }

  async *events<Event extends { readonly object: object }>(open: () => AsyncIterable<Event>): AsyncGenerator<Event> {
    try {
      for await (const event of open()) {
        resultOf(event.object);
        yield event;
      }
    } catch (error) {
      throw this.#reported('watch', error);
    }
  }

  #reported(name: string, error: unknown): Error {
    if (isStatusError(error)) return error;
    const what = `${name}${this.#owner}`;
    this.#report(error, what);
    return newInternalError(`${what} failed`);
  }
}

/** Throws TypeError for a result that is no object: the compiler does not see the results of every program. */
function resultOf<Result extends object>(result: Result): Result {
  if (!isRecord(result)) throw new TypeError('the result is not an object');
  return result;
}

function listOf<Item extends object>(items: readonly Item[]): readonly Item[] {
  const isList: boolean = Array.isArray(items);
  if (!isList) throw new TypeError('the result is not a list');
  return items;
}

function mapped<Value, Result>(
  record: Readonly<Record<string, Value>>,
  map: (value: Value) => Result,
): Readonly<Record<string, Result>> {
  return lookupTable(Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)])));
}
