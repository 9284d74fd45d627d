import type { LiveObject, RunFieldWork } from '@apichain/managed-fields';
import { hasAtMost, type KubeObject } from '@apichain/meta';
import { currentWorkers, type Workers } from '@apichain/request';
import type { ObjectFieldManager } from '../registry/rest.ts';
import { runInWorker } from '../workers.ts';

export type { LiveObject };

/**
 * Managed fields of a live and a new object that have more members together are computed in a worker thread. In this thread that many take a few
 * milliseconds, and 20 ms if an apply replaces all of them.
 */
const maxMembers = 3_000;

/** About the most bytes that a stored object may have. */
const largeDocument = 1.5 * 1024 * 1024;

/**
 * `updated` with its managed fields after a create, update or patch by `manager`. `workers` are to be given for work that belongs to no request.
 * Rejects with StatusError 500 when the thread fails.
 */
export function updateManagedFields(
  fieldManager: ObjectFieldManager,
  live: LiveObject | undefined,
  updated: KubeObject,
  manager: string,
  workers = currentWorkers(),
): Promise<KubeObject> {
  const run = runnerOf(live, updated, workers);
  return run === undefined
    ? fieldManager.update(live?.object, updated, manager)
    : fieldManager.updateRemotely(run, live, updated, manager);
}

/** Merges `applied` into the live object. Rejects with StatusError as `apply` of the field manager, and 500 when a conversion or the thread fails. */
export function applyManagedFields(
  fieldManager: ObjectFieldManager,
  live: LiveObject | undefined,
  applied: KubeObject,
  { fieldManager: manager, force }: { readonly fieldManager: string; readonly force: boolean },
): Promise<KubeObject> {
  const run = runnerOf(live, applied, currentWorkers());
  return run === undefined
    ? fieldManager.apply(live?.object, applied, manager, force)
    : fieldManager.applyRemotely(run, live, applied, manager, force);
}

/** Undefined if the objects are small or there are no threads. */
function runnerOf(
  live: LiveObject | undefined,
  object: KubeObject,
  workers: Workers | undefined,
): RunFieldWork | undefined {
  if (workers === undefined || hasAtMost([live?.object, object], maxMembers)) return undefined;
  const bytes = (live?.json?.length ?? largeDocument) + largeDocument;
  return runInWorker(workers, 'computeManagedFields', bytes);
}

const maxManagerBytes = 128;

/** The first 128 bytes of a text; characters are not split. */
function cutToBytes(text: string): string {
  let bytes = 0;
  let out = '';
  for (const rune of text) {
    bytes += Buffer.byteLength(rune);
    if (bytes > maxManagerBytes) break;
    out += rune;
  }
  return out;
}

const printable = /[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;

/**
 * The name of the field manager: the `fieldManager` parameter, or the product of the User-Agent. Source: managerOrUserAgent of endpoints/handlers.
 */
export function fieldManagerName(fieldManager: string, userAgent: string): string {
  if (fieldManager !== '') return fieldManager;
  const product = userAgent.split('/', 1)[0] ?? '';
  return cutToBytes([...product].filter((rune) => printable.test(rune)).join(''));
}
