import { isOfStatus } from './field-changes.ts';
import type { Change, History } from './history.ts';

/** What followed a change. */
export interface Followers {
  readonly changes: readonly Change[];
  /** The change that ends them: the next one of the same object by which more than its status changes. */
  readonly until: Change | undefined;
}

/** Steps from owned to owner: owners in a circle must not hang the page. */
const maxSteps = 8;

/**
 * What followed a change until the object was changed again: its status, objects whose owners lead to it, and Events about any of these. That they
 * followed is all that is known: whether they would have come without it is not.
 */
export function followersOf(history: Pick<History, 'changes' | 'ownersOf'>, change: Change): Followers {
  const at = history.changes.indexOf(change);
  const changes: Change[] = [];
  const roots = new Map<string, boolean>([[change.uid, true]]);
  const leadsTo = (uid: string, owners: readonly string[], steps: number): boolean => {
    const known = roots.get(uid);
    if (known !== undefined || steps > maxSteps) return known ?? false;
    const leads = owners.some((owner) => leadsTo(owner, history.ownersOf(owner), steps + 1));
    roots.set(uid, leads);
    return leads;
  };
  if (at < 0) return { changes, until: undefined };
  for (const later of history.changes.slice(at + 1)) {
    const { report, uid, owners } = later;
    if (report !== undefined) {
      if (leadsTo(report.uid, history.ownersOf(report.uid), 0)) changes.push(later);
    } else if (uid === change.uid) {
      if (!isOfStatus(later.fields)) return { changes, until: later };
      changes.push(later);
    } else if (leadsTo(uid, owners, 0)) changes.push(later);
  }
  return { changes, until: undefined };
}
