import type { KubeObject } from '@apichain/meta';
import { compare, isSame, type Comparison } from './compare.ts';
import { conflictsOf, ConflictsError } from './conflict.ts';
import { difference, emptySet, intersection, isEmpty, union, type FieldSet } from './field-set.ts';
import { noManagers, withSet, type Managed, type ManagedBuilder, type Manager } from './managed.ts';
import { merge } from './merge.ts';
import { removeItems } from './remove.ts';
import type { FieldFilter } from './reset-fields.ts';
import { ensureNamedFieldsAreMembers, reconcileWithSchema } from './schema-paths.ts';
import { toFieldSet } from './to-field-set.ts';
import { equalValues, isObject } from './values.ts';
import { within, type VersionConverter, type VersionedObject } from './versions.ts';

export interface UpdaterOptions {
  readonly versions: VersionConverter;
  /** Fields that this endpoint never owns, for the sets of one version. */
  readonly filter: (apiVersion: string) => FieldFilter | undefined;
}

const filtered = (comparison: Comparison, filter: FieldFilter | undefined): Comparison =>
  filter === undefined
    ? comparison
    : {
        removed: filter(comparison.removed),
        modified: filter(comparison.modified),
        added: filter(comparison.added),
      };

/**
 * Moves ownership of fields between managers as objects change. After sigs.k8s.io/structured-merge-diff/merge:
 * a manager that changes a field owns it, a manager whose field was changed or removed by another loses it, and what an
 * applier no longer lists and nobody else owns goes away.
 */
export class Updater {
  readonly #versions: VersionConverter;
  readonly #filter: UpdaterOptions['filter'];
  constructor(options: UpdaterOptions) {
    this.#versions = options.versions;
    this.#filter = options.filter;
  }

  /** Ownership after `updated` took the place of `live`; `changed` is what the writer now owns by this write. */
  update(live: VersionedObject, updated: VersionedObject, managed: Managed): { managed: Managed; changed: FieldSet } {
    const reconciled = this.#reconcile(live, managed);
    const all = compare(live.schema, live.object, updated.object, live.typed);
    if (isSame(all)) return { managed: withoutEmpty(reconciled), changed: emptySet };
    const comparison = filtered(all, this.#filter(live.apiVersion));
    const others = this.#takeFrom(reconciled, undefined, live, updated, comparison, true);
    return { managed: others, changed: union(comparison.modified, comparison.added) };
  }

  /**
   * Merges an applied configuration into the live object. `object` is undefined when that leaves it as it was.
   * Throws ConflictsError when other managers own what it changes and `force` is not set.
   */
  apply(
    live: VersionedObject,
    applied: VersionedObject,
    managed: Managed,
    identity: string,
    writer: Manager,
    force: boolean,
  ): { object: KubeObject | undefined; managed: Managed } {
    const reconciled = this.#reconcile(live, managed);
    const merged = { ...live, object: asKubeObject(merge(live.schema, live.object, applied.object), live.object) };
    const last = reconciled.get(identity);
    const wanted = toFieldSet(applied.schema, applied.object, false);
    const set = this.#filter(live.apiVersion)?.(wanted) ?? wanted;
    const withWriter: ManagedBuilder = new Map(reconciled);
    withWriter.set(identity, withSet(last ?? writer, set, { apiVersion: live.apiVersion, applied: true }));
    const pruned = within('failed to prune fields', () => this.#prune(merged, withWriter, last));
    const comparison = filtered(compare(live.schema, live.object, pruned.object, false), this.#filter(live.apiVersion));
    const after = this.#takeFrom(withWriter, identity, live, pruned, comparison, force);
    const isUnchanged = equalValues(live.object, pruned.object);
    return { object: isUnchanged ? undefined : pruned.object, managed: after };
  }

  /** Sets follow the schema when it has changed since; managers in versions that are gone are forgotten. */
  #reconcile(live: VersionedObject, managed: Managed): Managed {
    if (managed.size === 0) return noManagers;
    let changed: ManagedBuilder | undefined;
    const liveIn = new Map<string, VersionedObject | undefined>([[live.apiVersion, live]]);
    for (const { apiVersion } of managed.values()) {
      if (!liveIn.has(apiVersion)) liveIn.set(apiVersion, this.#versions.convert(live, apiVersion));
    }
    for (const [identity, manager] of managed) {
      const versioned = liveIn.get(manager.apiVersion);
      if (versioned === undefined) {
        (changed ??= new Map(managed)).delete(identity);
        continue;
      }
      const set = reconcileWithSchema(manager.set, versioned.schema);
      if (set !== undefined) (changed ??= new Map(managed)).set(identity, withSet(manager, set));
    }
    return changed ?? managed;
  }

  #takeFrom(
    managed: Managed,
    writer: string | undefined,
    live: VersionedObject,
    updated: VersionedObject,
    comparison: Comparison,
    force: boolean,
  ): Managed {
    const comparisons = new Map<string, Comparison | undefined>([[live.apiVersion, comparison]]);
    const conflicts = new Map<string, { manager: Manager; set: FieldSet }>();
    const out: ManagedBuilder = new Map();
    for (const [identity, manager] of managed) {
      if (identity === writer) {
        out.set(identity, manager);
        continue;
      }
      const theirs = this.#comparisonFor(manager.apiVersion, comparisons, live, updated);
      if (theirs === undefined) continue;
      const taken = intersection(manager.set, union(theirs.modified, theirs.added));
      if (!isEmpty(taken)) conflicts.set(identity, { manager, set: taken });
      const kept = difference(difference(manager.set, taken), theirs.removed);
      out.set(identity, withSet(manager, kept));
    }
    if (!force && conflicts.size > 0) throw new ConflictsError(conflictsOf(conflicts));
    return withoutEmpty(out);
  }

  #comparisonFor(
    apiVersion: string,
    known: Map<string, Comparison | undefined>,
    live: VersionedObject,
    updated: VersionedObject,
  ): Comparison | undefined {
    if (known.has(apiVersion)) return known.get(apiVersion);
    const before = within('failed to convert old object', () => this.#versions.convert(live, apiVersion));
    const after = within('failed to convert new object', () => this.#versions.convert(updated, apiVersion));
    const comparison =
      before === undefined || after === undefined
        ? undefined
        : filtered(compare(before.schema, before.object, after.object, before.typed), this.#filter(apiVersion));
    known.set(apiVersion, comparison);
    return comparison;
  }

  /** Removes what the applier listed last time, lists no more, and nobody else owns. */
  #prune(merged: VersionedObject, managed: Managed, last: Manager | undefined): VersionedObject {
    if (last === undefined || isEmpty(last.set)) return merged;
    const inLast = within('failed to convert merged object to last applied version', () =>
      this.#versions.convert(merged, last.apiVersion),
    );
    if (inLast === undefined) return merged;
    const lastSet = ensureNamedFieldsAreMembers(last.set, inLast.schema);
    const removed = without(inLast, lastSet);
    const owned = within('failed add back owned items', () => this.#addBackOwned(inLast, removed, managed));
    const pruned = this.#versions.convert(owned, last.apiVersion);
    if (pruned === undefined) return merged;
    const gone = difference(membersOf(inLast), membersOf(pruned));
    const result = without(inLast, intersection(gone, lastSet));
    return this.#versions.convert(result, merged.apiVersion) ?? merged;
  }

  #addBackOwned(merged: VersionedObject, pruned: VersionedObject, managed: Managed): VersionedObject {
    const ownedByVersion = new Map<string, FieldSet>([[pruned.apiVersion, emptySet]]);
    for (const { apiVersion, set } of managed.values()) {
      ownedByVersion.set(apiVersion, union(ownedByVersion.get(apiVersion) ?? emptySet, set));
    }
    let all = merged;
    let rest = pruned;
    for (const [apiVersion, owned] of ownedByVersion) {
      const there = (step: string, object: VersionedObject) =>
        within(`failed to convert ${step} object at version ${apiVersion}`, () =>
          this.#versions.convert(object, apiVersion),
        );
      const allThere = there('merged', all);
      const restThere = there('pruned', rest);
      if (allThere === undefined || restThere === undefined) continue;
      const keep = union(membersOf(restThere), ensureNamedFieldsAreMembers(owned, allThere.schema));
      all = allThere;
      rest = without(allThere, difference(membersOf(allThere), keep));
    }
    return rest;
  }
}

const asKubeObject = (value: unknown, fallback: KubeObject): KubeObject =>
  isObject(value)
    ? { ...fallback, ...value, metadata: isObject(value['metadata']) ? value['metadata'] : {} }
    : fallback;

function membersOf(versioned: VersionedObject): FieldSet {
  return ensureNamedFieldsAreMembers(toFieldSet(versioned.schema, versioned.object, false), versioned.schema);
}

function without(versioned: VersionedObject, set: FieldSet): VersionedObject {
  if (isEmpty(set)) return versioned;
  const rest = removeItems(versioned.schema, versioned.object, set);
  const { apiVersion, kind } = versioned.object;
  const metadata = isObject(rest) && isObject(rest['metadata']) ? rest['metadata'] : {};
  return { ...versioned, object: { ...(isObject(rest) ? rest : {}), apiVersion, kind, metadata } };
}

function withoutEmpty(managed: Managed): Managed {
  let out: ManagedBuilder | undefined;
  for (const [identity, manager] of managed) {
    if (isEmpty(manager.set)) (out ??= new Map(managed)).delete(identity);
  }
  return out ?? managed;
}
