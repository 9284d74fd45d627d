import { union } from './field-set.ts';
import { compareText, compareTimes, managerIdentity, withSet, type Managed, type ManagedBuilder } from './managed.ts';

const maxUpdateManagers = 10;
const oldUpdatesManager = 'ancient-changes';

/**
 * Keeps the number of Update entries bounded: the oldest ones are merged, one bucket a version, until ten are left.
 */
export function capUpdateManagers(managed: Managed): Managed {
  const updaters = [...managed].filter(([, manager]) => !manager.applied);
  if (updaters.length <= maxUpdateManagers) return managed;
  updaters.sort(([a, left], [b, right]) => compareTimes(left, right) || compareText(a, b));
  const out: ManagedBuilder = new Map(managed);
  const firstOfVersion = new Map<string, string>();
  let count = updaters.length;
  for (const [identity, manager] of updaters) {
    if (count <= maxUpdateManagers) break;
    const first = firstOfVersion.get(manager.apiVersion);
    if (first === undefined) {
      firstOfVersion.set(manager.apiVersion, identity);
      continue;
    }
    mergeInto(out, first, identity);
    count--;
  }
  return out;
}

function mergeInto(managed: ManagedBuilder, first: string, identity: string): void {
  const manager = managed.get(identity);
  if (manager === undefined) return;
  const bucketManager = { name: oldUpdatesManager, subresource: '', applied: false, apiVersion: manager.apiVersion };
  const bucket = managerIdentity(bucketManager);
  const known = managed.get(bucket) ?? managed.get(first);
  if (!managed.has(bucket)) managed.delete(first);
  if (identity !== bucket) managed.delete(identity);
  const set = known === undefined ? manager.set : union(manager.set, known.set);
  managed.set(bucket, withSet(manager, set, bucketManager));
}
