import { listFacts, receiveDocumentAtOnce, stringifyJson, type KubeObject, type ListedFacts } from '@apichain/meta';
import { readDescription } from './description.ts';
import { FieldManager } from './field-manager.ts';
import {
  asError,
  asRemoteError,
  headPart,
  requestOf,
  type FieldWorkResult,
  type FieldWorkRequest,
  type RemoteError,
} from './field-work-messages.ts';
import { isLiveBesidesManagers } from './object-managed-fields.ts';

/** Of the descriptions whose managers are kept. The managers take several times as much memory. */
const maxDescriptionBytes = 8 << 20;

/** A manager, and what it needs to know of the request that it works for. */
interface RemoteManager {
  readonly manager: FieldManager;
  readonly descriptionBytes: number;
  request: RemoteRequest;
}

interface RemoteRequest {
  readonly now: number;
  /** The objects that have been converted, as JSON with the version to which each was converted before it; the results or errors. */
  readonly conversions: ReadonlyMap<
    string,
    { readonly json: Uint8Array; readonly facts: readonly ListedFacts[] } | RemoteError
  >;
  /** Ends the work with the request to convert an object. */
  readonly ask: (object: KubeObject, apiVersion: string) => void;
}

/** The managers by their identities, the one that was used last at the end. */
const managers = new Map<string, RemoteManager>();

function managerOf({ identity }: FieldWorkRequest, description: Uint8Array, request: RemoteRequest): FieldManager {
  const known = managers.get(identity) ?? makeManager(description, request);
  known.request = request;
  managers.delete(identity);
  managers.set(identity, known);
  let bytes = 0;
  for (const { descriptionBytes } of managers.values()) bytes += descriptionBytes;
  for (const [oldest, { descriptionBytes }] of managers) {
    if (bytes <= maxDescriptionBytes || oldest === identity) break;
    managers.delete(oldest);
    bytes -= descriptionBytes;
  }
  return known.manager;
}

function makeManager(description: Uint8Array, request: RemoteRequest): RemoteManager {
  const options = readDescription(description);
  const made: RemoteManager = {
    manager: new FieldManager({
      ...options,
      convert: (object, apiVersion) =>
        options.onlyRenames === true ? { ...object, apiVersion } : convert(object, apiVersion, made.request),
      now: () => made.request.now,
    }),
    descriptionBytes: description.length,
    request,
  };
  return made;
}

/** The result if it is known. Otherwise asks for it, and never settles: the work is done again when the result is known. */
function convert(
  object: KubeObject,
  apiVersion: string,
  { conversions, ask }: RemoteRequest,
): KubeObject | Promise<never> {
  const known = conversions.get(apiVersion + stringifyJson(object));
  if (known === undefined) {
    ask(object, apiVersion);
    return new Promise<never>(() => {});
  }
  if ('message' in known) throw asError(known);
  return read(known.json, known.facts);
}

const read = (json: Uint8Array | undefined, facts: readonly ListedFacts[]): KubeObject =>
  receiveDocumentAtOnce({ json: json ?? new Uint8Array(), facts }) as KubeObject;

const resultParts = (head: FieldWorkResult, document?: unknown): Uint8Array[] =>
  document === undefined ? [headPart(head)] : [headPart(head), Buffer.from(stringifyJson(document))];

/**
 * Updates managed fields, or applies a configuration, in another thread than the one of the FieldManager: what `updateRemotely` and
 * `applyRemotely` call. The parts are a request, the description of the manager, the live object (empty for none), the written or applied object,
 * and pairs of an object and its conversion.
 */
export async function computeManagedFields(parts: readonly Uint8Array[]): Promise<readonly Uint8Array[]> {
  const [head, description = new Uint8Array(), liveJson, objectJson, ...converted] = parts;
  const request = requestOf(head);
  const conversions = new Map(
    request.conversions.map(({ apiVersion, outcome }, i) => [
      apiVersion + Buffer.from(converted[2 * i] ?? []).toString(),
      'error' in outcome ? outcome.error : { json: converted[2 * i + 1] ?? new Uint8Array(), facts: outcome.facts },
    ]),
  );
  const asked = Promise.withResolvers<readonly Uint8Array[]>();
  const ask = (from: KubeObject, apiVersion: string): void =>
    asked.resolve(resultParts({ kind: 'conversion', apiVersion, facts: listFacts(from) }, from));
  const manager = managerOf(request, description, { now: request.now, conversions, ask });
  const live = request.liveFacts === undefined ? undefined : read(liveJson, request.liveFacts);
  const object = read(objectJson, request.objectFacts);
  return Promise.race([computed(manager, request, live, object), asked.promise]);
}

async function computed(
  fields: FieldManager,
  { operation, manager, force }: FieldWorkRequest,
  live: KubeObject | undefined,
  object: KubeObject,
): Promise<readonly Uint8Array[]> {
  try {
    if (operation === 'update') {
      const { managedFields = null } = (await fields.update(live, object, manager)).metadata;
      return resultParts({ kind: 'entries' }, managedFields);
    }
    const merged = await fields.apply(live, object, manager, force);
    if (live !== undefined && isLiveBesidesManagers(merged, live))
      return resultParts({ kind: 'entries' }, merged.metadata.managedFields ?? null);
    return resultParts({ kind: 'object', facts: listFacts(merged) }, merged);
  } catch (error) {
    return resultParts({ kind: 'error', error: asRemoteError(error) });
  }
}
