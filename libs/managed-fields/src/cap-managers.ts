import { compareText } from '@apichain/meta';
import { emptySet, unionAll, type FieldSet } from './field-set.ts';
import { compareTimes, managerIdentity, withSet, type Managed, type ManagedBuilder } from './managed.ts';

const maxUpdateManagers = 10;
const oldUpdatesManager = 'ancient-changes';

/** Bounds the number of Update entries: merges the oldest ones, into one bucket per version, until ten are left. */
export function capUpdateManagers(managed: Managed): Managed {
  const updaters = [...managed].filter(([, manager]) => !manager.applied);
  if (updaters.length <= maxUpdateManagers) return managed;
  updaters.sort(([a, left], [b, right]) => compareTimes(left, right) || compareText(a, b));
  const out: ManagedBuilder = new Map(managed);
  const gathered = new Map<string, FieldSet[]>();
  const firstOfVersion = new Map<string, string>();
  let count = updaters.length;
  for (const [identity, manager] of updaters) {
    if (count <= maxUpdateManagers) break;
    const first = firstOfVersion.get(manager.apiVersion);
    if (first === undefined) {
      firstOfVersion.set(manager.apiVersion, identity);
      continue;
    }
    mergeInto(out, gathered, first, identity);
    count--;
  }
  for (const [bucket, sets] of gathered) {
    const manager = out.get(bucket);
    if (manager !== undefined) out.set(bucket, withSet(manager, unionAll(sets)));
  }
  return out;
}

/** Collects the sets of a bucket; they are united once all of them are known. */
function mergeInto(managed: ManagedBuilder, gathered: Map<string, FieldSet[]>, first: string, identity: string): void {
  const manager = managed.get(identity);
  if (manager === undefined) return;
  const bucketManager = { name: oldUpdatesManager, subresource: '', applied: false, apiVersion: manager.apiVersion };
  const bucket = managerIdentity(bucketManager);
  const known = managed.get(bucket) ?? managed.get(first);
  if (!managed.has(bucket)) managed.delete(first);
  if (identity !== bucket) managed.delete(identity);
  const sets = gathered.get(bucket);
  if (sets !== undefined) sets.push(manager.set);
  else gathered.set(bucket, known === undefined ? [manager.set] : [manager.set, known.set]);
  managed.set(bucket, withSet(manager, emptySet, bucketManager));
}
