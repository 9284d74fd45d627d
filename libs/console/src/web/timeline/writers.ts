import { fields, list, text, type Fields, type StoredObject } from '../api/stored-object.ts';
import type { FieldChange } from './field-changes.ts';

/** Who has written fields of an object: https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management */
export interface Writer {
  /** `kubectl-edit`, `kube-controller-manager`. */
  readonly manager: string;
  /** `Apply` or `Update`. */
  readonly operation: string;
  readonly subresource: string;
  /** As in RFC 3339, in seconds. */
  readonly time: string;
  /** Stands for the set of its fields. */
  readonly hash: number;
}

const entriesOf = ({ metadata }: StoredObject): readonly Fields[] => list(fields(metadata)['managedFields']);

const writerOf = ({ manager, operation, subresource, time, fieldsV1 }: Fields): Writer => ({
  ...{ manager: text(manager), operation: text(operation), subresource: text(subresource), time: text(time) },
  hash: hashOf(JSON.stringify(fieldsV1 ?? {})),
});

/** The managers of an object. */
export const writersOf = (object: StoredObject): readonly Writer[] => entriesOf(object).map(writerOf);

/**
 * Who has written a newer state: the managers with another time; else, because writes were in the same second or a server keeps no time, those with other
 * fields; else those whose fields have changed. Empty when managed fields do not tell.
 */
export function newWriters(
  before: readonly Writer[],
  object: StoredObject,
  changed: readonly FieldChange[],
): readonly Writer[] {
  const known = new Map(before.map((writer) => [keyOf(writer), writer]));
  const after = writersOf(object);
  const later = after.filter((writer) => known.get(keyOf(writer))?.time !== writer.time);
  if (later.length > 0) return later;
  const others = after.filter((writer) => known.get(keyOf(writer))?.hash !== writer.hash);
  if (others.length > 0) return others;
  return entriesOf(object)
    .filter(({ fieldsV1 }) => changed.some(({ field }) => hasField(fieldsV1, field)))
    .map(writerOf);
}

/** Whether a set of fields has a field, as far as its path leads without items of lists. */
function hasField(fieldsV1: unknown, field: string): boolean {
  const [path = ''] = field.split('[', 1);
  let current = fields(fieldsV1);
  for (const name of path.split('.')) {
    const below = current[`f:${name}`];
    if (below === undefined) return false;
    current = fields(below);
    // All that is below belongs to it, too.
    if (Object.keys(current).length === 0) return true;
  }
  return true;
}

const keyOf = ({ manager, operation, subresource }: Writer): string => `${manager}/${operation}/${subresource}`;

/** FNV-1a: sets of fields are only compared, and are too long to keep for every object. http://www.isthe.com/chongo/tech/comp/fnv/ */
function hashOf(value: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < value.length; at++) hash = Math.imul(hash ^ value.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
