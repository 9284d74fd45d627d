import type { KubeObject } from '@apichain/meta';
import { compare, isSame, type Comparison } from './compare.ts';
import { conflictsOf, ConflictsError } from './conflict.ts';
import { difference, emptySet, intersection, isEmpty, union, unionAll, type FieldSet } from './field-set.ts';
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
 * Moves ownership of fields between managers as objects change. Follows sigs.k8s.io/structured-merge-diff/merge. A manager that changes a field owns
 * it. A manager loses a field that another manager changes or removes. A field that its applier no longer lists and that has no other owner is
 * removed.
 */
export class Updater {
  readonly #versions: VersionConverter;
  readonly #filter: UpdaterOptions['filter'];
  constructor(options: UpdaterOptions) {
    this.#versions = options.versions;
    this.#filter = options.filter;
  }

  /** The managers after `updated` replaced `live`. `changed` is the set of fields that the writer owns because of this write. */
  async update(
    live: VersionedObject,
    updated: VersionedObject,
    managed: Managed,
  ): Promise<{ managed: Managed; changed: FieldSet }> {
    const reconciled = await this.#reconcile(live, managed);
    const all = compare(live.schema, live.object, updated.object, live.typed);
    if (isSame(all)) return { managed: withoutEmpty(reconciled), changed: emptySet };
    const comparison = filtered(all, this.#filter(live.apiVersion));
    const others = await this.#takeFrom(reconciled, undefined, live, updated, comparison, true);
    return { managed: others, changed: union(comparison.modified, comparison.added) };
  }

  /**
   * Merges an applied configuration into the live object. `object` is undefined when nothing changed. Rejects with ConflictsError when other managers own
   * fields that it changes and `force` is not set.
   */
  async apply(
    live: VersionedObject,
    applied: VersionedObject,
    managed: Managed,
    identity: string,
    writer: Manager,
    force: boolean,
  ): Promise<{ object: KubeObject | undefined; managed: Managed }> {
    const reconciled = await this.#reconcile(live, managed);
    const both = merge(live.schema, live.object, applied.object);
    const merged = { ...live, object: asKubeObject(both, live.object) };
    const last = reconciled.get(identity);
    const wanted = toFieldSet(applied.schema, applied.object);
    const set = this.#filter(live.apiVersion)?.(wanted) ?? wanted;
    const withWriter: ManagedBuilder = new Map(reconciled);
    withWriter.set(identity, withSet(last ?? writer, set, { apiVersion: live.apiVersion, applied: true }));
    const pruned = await this.#prune(merged, withWriter, last, set);
    const all = compare(live.schema, live.object, pruned.object, false);
    const comparison = filtered(all, this.#filter(live.apiVersion));
    const after = await this.#takeFrom(withWriter, identity, live, pruned, comparison, force);
    const isUnchanged = isSame(all) && equalValues(live.object, pruned.object);
    return { object: isUnchanged ? undefined : pruned.object, managed: after };
  }

  /** Adapts sets to a schema that has changed since they were written. Removes managers of versions that no longer exist. */
  async #reconcile(live: VersionedObject, managed: Managed): Promise<Managed> {
    if (managed.size === 0) return noManagers;
    let changed: ManagedBuilder | undefined;
    const liveIn = new Map<string, VersionedObject | undefined>([[live.apiVersion, live]]);
    for (const { apiVersion } of managed.values()) {
      if (!liveIn.has(apiVersion)) liveIn.set(apiVersion, await this.#versions.convert(live, apiVersion));
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

  async #takeFrom(
    managed: Managed,
    writer: string | undefined,
    live: VersionedObject,
    updated: VersionedObject,
    comparison: Comparison,
    force: boolean,
  ): Promise<Managed> {
    const changes = new Map<string, Changes | undefined>([[live.apiVersion, changesOf(comparison)]]);
    for (const [identity, { apiVersion }] of managed) {
      if (identity !== writer && !changes.has(apiVersion))
        changes.set(apiVersion, await this.#changesIn(apiVersion, live, updated));
    }
    const conflicts = new Map<string, { manager: Manager; set: FieldSet }>();
    const out: ManagedBuilder = new Map();
    for (const [identity, manager] of managed) {
      if (identity === writer) {
        out.set(identity, manager);
        continue;
      }
      const theirs = changes.get(manager.apiVersion);
      if (theirs === undefined) continue;
      const taken = intersection(manager.set, theirs.set);
      if (!isEmpty(taken)) conflicts.set(identity, { manager, set: taken });
      const untaken = difference(manager.set, taken);
      out.set(identity, withSet(manager, difference(untaken, theirs.removed)));
    }
    if (!force && conflicts.size > 0) throw new ConflictsError(conflictsOf(conflicts));
    return withoutEmpty(out);
  }

  /** The changes in another version; undefined if it is unknown. */
  async #changesIn(apiVersion: string, live: VersionedObject, updated: VersionedObject): Promise<Changes | undefined> {
    const before = await within('failed to convert old object', this.#versions.convert(live, apiVersion));
    const after = await within('failed to convert new object', this.#versions.convert(updated, apiVersion));
    if (before === undefined || after === undefined) return undefined;
    const comparison = compare(before.schema, before.object, after.object, before.typed);
    return changesOf(filtered(comparison, this.#filter(apiVersion)));
  }

  /** Removes the fields that the applier's last configuration listed, that the new one (`wanted`) does not list, and that have no other owner. */
  async #prune(
    merged: VersionedObject,
    managed: Managed,
    last: Manager | undefined,
    wanted: FieldSet,
  ): Promise<VersionedObject> {
    if (last === undefined || isEmpty(last.set)) return merged;
    if (listsAllOf(wanted, last, managed)) return merged;
    const pruning = (step: string) => `failed to prune fields: ${step}`;
    const inLast = await within(
      pruning('failed to convert merged object to last applied version'),
      this.#versions.convert(merged, last.apiVersion),
    );
    if (inLast === undefined) return merged;
    const lastSet = ensureNamedFieldsAreMembers(last.set, inLast.schema);
    const removed = without(inLast, lastSet);
    const owned = await this.#addBackOwned(inLast, removed, managed, pruning('failed add back owned items'));
    const pruned = await within('failed to prune fields', this.#versions.convert(owned, last.apiVersion));
    if (pruned === undefined) return merged;
    const lost = difference(membersOf(inLast), membersOf(pruned));
    const result = without(inLast, intersection(lost, lastSet));
    return (await within('failed to prune fields', this.#versions.convert(result, merged.apiVersion))) ?? merged;
  }

  async #addBackOwned(
    merged: VersionedObject,
    pruned: VersionedObject,
    managed: Managed,
    doing: string,
  ): Promise<VersionedObject> {
    const setsByVersion = new Map<string, FieldSet[]>([[pruned.apiVersion, []]]);
    for (const { apiVersion, set } of managed.values()) {
      const sets = setsByVersion.get(apiVersion);
      if (sets === undefined) setsByVersion.set(apiVersion, [set]);
      else sets.push(set);
    }
    let all = merged;
    let rest = pruned;
    for (const [apiVersion, sets] of setsByVersion) {
      const there = (step: string, object: VersionedObject) =>
        within(
          `${doing}: failed to convert ${step} object at version ${apiVersion}`,
          this.#versions.convert(object, apiVersion),
        );
      const allThere = await there('merged', all);
      const restThere = await there('pruned', rest);
      if (allThere === undefined || restThere === undefined) continue;
      const owned = ensureNamedFieldsAreMembers(unionAll(sets), allThere.schema);
      const notThere = difference(membersOf(allThere), membersOf(restThere));
      all = allThere;
      rest = without(allThere, difference(notThere, owned));
    }
    return rest;
  }
}

/** The changes of a write as far as they affect ownership: the fields that were set and those that were removed. */
interface Changes {
  readonly set: FieldSet;
  readonly removed: FieldSet;
}

const changesOf = ({ modified, added, removed }: Comparison): Changes => ({ set: union(modified, added), removed });

/**
 * Whether an applier still lists everything that it listed last, which is the usual case: then nothing has to be removed, and the fields of other
 * managers need not be checked. False when entries have other versions, because conversions may change the result.
 */
function listsAllOf(wanted: FieldSet, last: Manager, managed: Managed): boolean {
  for (const { apiVersion } of managed.values()) if (apiVersion !== last.apiVersion) return false;
  return isEmpty(difference(last.set, wanted));
}

const asKubeObject = (value: unknown, fallback: KubeObject): KubeObject =>
  isObject(value)
    ? { ...fallback, ...value, metadata: isObject(value['metadata']) ? value['metadata'] : {} }
    : fallback;

const membersOf = ({ schema, object }: VersionedObject): FieldSet =>
  ensureNamedFieldsAreMembers(toFieldSet(schema, object), schema);

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
