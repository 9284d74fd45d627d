import { compareText, text, type JsonObject, type ManagedFieldsEntry } from '@apichain/meta';
import { parseFieldsV1, toFieldsV1, type FieldSet } from './field-set.ts';
import { isEmptyObject, isObject } from './values.ts';

/** The decoded managedFields entry of one manager. */
export interface Manager {
  readonly name: string;
  readonly subresource: string;
  readonly applied: boolean;
  /** The version whose field names `set` uses. */
  readonly apiVersion: string;
  readonly set: FieldSet;
  /** RFC 3339 in whole seconds; undefined for an apply that did not change the object. */
  readonly time: string | undefined;
  /** The entry that this manager was decoded from, as long as encoding would give the same entry. */
  readonly entry?: ManagedFieldsEntry;
}

/** Managers by identity. Never modified in place. */
export type Managed = ReadonlyMap<string, Manager>;
export type ManagedBuilder = Map<string, Manager>;

export const noManagers: Managed = new Map();

/** The identity of a manager: name, operation, subresource, and for updates the version too. Conflicts are listed in the order of these texts. */
export function managerIdentity(manager: Pick<Manager, 'name' | 'subresource' | 'applied' | 'apiVersion'>): string {
  const name = manager.name === '' ? '' : `"manager":${JSON.stringify(manager.name)},`;
  const version = manager.applied ? '' : `,"apiVersion":${JSON.stringify(manager.apiVersion)}`;
  const subresource = manager.subresource === '' ? '' : `,"subresource":${JSON.stringify(manager.subresource)}`;
  return `{${name}"operation":"${manager.applied ? 'Apply' : 'Update'}"${version}${subresource}}`;
}

function decodeEntry(entry: ManagedFieldsEntry, index: number): Manager {
  if (entry.operation !== 'Apply' && entry.operation !== 'Update') {
    throw new Error('operation must be `Apply` or `Update`');
  }
  if (text(entry.apiVersion) === '') throw new Error('apiVersion must not be empty');
  if (text(entry.fieldsType) === '') throw new Error(`missing fieldsType in managed fields entry ${index}`);
  if (entry.fieldsType !== 'FieldsV1') {
    throw new Error(`invalid fieldsType ${JSON.stringify(entry.fieldsType)} in managed fields entry ${index}`);
  }
  const set = parseFieldsV1(entry.fieldsV1);
  return {
    name: text(entry.manager),
    subresource: text(entry.subresource),
    applied: entry.operation === 'Apply',
    apiVersion: text(entry.apiVersion),
    set,
    time: typeof entry.time === 'string' ? entry.time : undefined,
    // If the entry is not in canonical form or order, encoding changes it, so it cannot be reused.
    ...(set === entry.fieldsV1 ? { entry } : {}),
  };
}

/** Decodes metadata.managedFields. Throws Error that describes the invalid entry. */
export function decodeManagedFields(entries: readonly ManagedFieldsEntry[] | undefined | null): Managed {
  if (!Array.isArray(entries) || entries.length === 0) return noManagers;
  const managed: ManagedBuilder = new Map();
  for (const [index, entry] of entries.entries()) {
    if (!isObject(entry)) throw new Error('operation must be `Apply` or `Update`');
    const manager = decodeEntry(entry, index);
    managed.set(managerIdentity(manager), manager);
  }
  return managed;
}

const unixTime = (time: string | undefined): number => (time === undefined ? 0 : Math.floor(Date.parse(time) / 1000));

/** Orders by time, oldest first; entries without a time count as the oldest. */
export const compareTimes = (a: Manager, b: Manager): number =>
  a.time === b.time ? 0 : unixTime(a.time) - unixTime(b.time);

const compareManagers = (a: Manager, b: Manager): number =>
  Number(b.applied) - Number(a.applied) ||
  compareTimes(a, b) ||
  compareText(a.name, b.name) ||
  compareText(a.apiVersion, b.apiVersion) ||
  compareText(a.subresource, b.subresource);

/** A set is a JSON object already; this is only a type conversion. */
const asJson = (set: FieldSet): JsonObject => set;

function encodeManager(manager: Manager): ManagedFieldsEntry {
  return manager.entry?.fieldsV1 === undefined ? encodeWriter(manager, toFieldsV1(manager.set)) : manager.entry;
}

/** The entry of a manager that owns `fields`, which must be in order. */
export function encodeWriter(manager: Manager, fields: FieldSet): ManagedFieldsEntry {
  const entry: ManagedFieldsEntry = {};
  if (manager.name !== '') entry.manager = manager.name;
  entry.operation = manager.applied ? 'Apply' : 'Update';
  entry.apiVersion = manager.apiVersion;
  if (manager.time !== undefined) entry.time = manager.time;
  entry.fieldsType = 'FieldsV1';
  entry.fieldsV1 = asJson(fields);
  if (manager.subresource !== '') entry.subresource = manager.subresource;
  return entry;
}

/** Encodes metadata.managedFields in its order: appliers first, then by time and name; undefined when there are no managers. */
export function encodeManagedFields(managed: Managed): ManagedFieldsEntry[] | undefined {
  if (managed.size === 0) return undefined;
  const out: ManagedFieldsEntry[] = [];
  for (const manager of [...managed.values()].sort(compareManagers)) {
    out.push(encodeManager(manager));
  }
  return out;
}

/** The manager with another set or version, without the entry that it was decoded from. */
export function withSet(manager: Manager, set: FieldSet, changes: Partial<Manager> = {}): Manager {
  if (set === manager.set && isEmptyObject(changes)) return manager;
  const { entry: _, ...rest } = manager;
  return { ...rest, set, ...changes };
}

/** Whether the client requests that tracking restarts, by sending `[]` or `[{}]`. */
export function isReset(entries: unknown): boolean {
  if (!Array.isArray(entries)) return false;
  if (entries.length === 0) return true;
  const first: unknown = entries[0];
  return entries.length === 1 && isObject(first) && Object.values(first).every((value) => value === undefined);
}
