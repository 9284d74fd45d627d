import type { Container, PodSpec } from '@apichain/api/core/v1';
import type { Condition, LabelSelector } from '@apichain/api/meta/v1';
import type { Int64, IntOrString, Time } from '@apichain/api/scalars';
import type { ShownKinds } from '@apichain/api/stored-kinds';
import { humanDuration } from '@apichain/go-text';
import { integer, isSet, labelSelectorFromObject, currentTime, type KubeObject } from '@apichain/meta';
import { entriesOf } from '../fields.ts';

/** Computes one cell of an object's row. */
export type Cell<T extends KubeObject = KubeObject> = (object: T) => unknown;

/** Cells of a kind by column name. */
export type Cells<T extends KubeObject = KubeObject> = Readonly<Record<string, Cell<T>>>;

/** Cells by `Kind` or `Kind.group`. The key determines the type of the objects: that of the kind's storage version. */
export type CellTable = { readonly [Kind in keyof ShownKinds]?: Cells<ShownKinds[Kind]> };

/** Reads a field of an object; absent and null are the same. */
type Read<T, Value> = (object: T) => Value | null | undefined;

/** The text of a field, or `otherwise` when it is empty. */
export const textAt =
  <T extends KubeObject>(read: Read<T, string>, otherwise = ''): Cell<T> =>
  (object) =>
    textOr(read(object), otherwise);

const textOr = (value: string | null | undefined, otherwise: string): string =>
  value === undefined || value === null || value === '' ? otherwise : value;

/** The integer of a field, 0 when unset. */
export const integerAt =
  <T extends KubeObject>(read: Read<T, Int64>): Cell<T> =>
  (object) =>
    integer(read(object));

/** The integer of a field, or a text when unset. */
export const integerOr =
  <T extends KubeObject>(read: Read<T, Int64>, otherwise: string): Cell<T> =>
  (object) => {
    const value = read(object);
    return isSet(value) ? integer(value) : otherwise;
  };

export const booleanAt =
  <T extends KubeObject>(read: Read<T, boolean>, otherwise = false): Cell<T> =>
  (object) =>
    read(object) ?? otherwise;

export const countAt =
  <T extends KubeObject>(read: Read<T, readonly unknown[]>): Cell<T> =>
  (object) =>
    read(object)?.length ?? 0;

export const ageAt =
  <T extends KubeObject>(read: Read<T, Time>, otherwise = '<unknown>'): Cell<T> =>
  (object) => {
    const value = read(object);
    return isSet(value) ? age(value) : otherwise;
  };

/** An IntOrString or number as text. */
export const asText =
  <T extends KubeObject>(read: Read<T, IntOrString>, otherwise: string): Cell<T> =>
  (object) => {
    const value = read(object);
    return isSet(value) ? String(value) : otherwise;
  };

export const joinedAt =
  <T extends KubeObject>(read: Read<T, readonly string[]>, otherwise: string, separator = ','): Cell<T> =>
  (object) => {
    const values = read(object) ?? [];
    return values.length === 0 ? otherwise : values.join(separator);
  };

/** Sorted `key=value` pairs. */
export function labelsText(labels: Readonly<Record<string, string>> | null | undefined): string {
  const entries = entriesOf(labels ?? {});
  if (entries.length === 0) return '<none>';
  return entries
    .map(([name, value]) => `${name}=${value}`)
    .toSorted()
    .join(',');
}

export const labelsAt =
  <T extends KubeObject>(read: Read<T, Readonly<Record<string, string>>>): Cell<T> =>
  (object) =>
    labelsText(read(object));

/** The canonical text of a meta/v1 LabelSelector. */
export function selectorText(
  selector: LabelSelector | null | undefined,
  invalid = '<error>',
  empty = '<none>',
): string {
  if (!isSet(selector)) return empty;
  try {
    const made = labelSelectorFromObject(selector);
    return made.empty ? empty : made.toString();
  } catch {
    return invalid;
  }
}

export const selectorAt =
  <T extends KubeObject>(read: Read<T, LabelSelector>): Cell<T> =>
  (object) =>
    selectorText(read(object));

const accessModeOrder: readonly (readonly [string, string])[] = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
];

export function accessModes(modes: readonly string[] | null | undefined): string {
  const present = new Set(modes);
  return accessModeOrder
    .filter(([mode]) => present.has(mode))
    .map(([, short]) => short)
    .join(',');
}

/** At most `limit` items, then the number of the remaining ones. */
export function limited(items: readonly string[], limit: number, separator = ','): string {
  const shown = items.slice(0, limit).join(separator);
  return items.length > limit ? `${shown} + ${items.length - limit} more...` : shown;
}

/** The names or images of the containers in a pod spec. */
export const containersAt =
  <T extends KubeObject>(read: Read<T, PodSpec>, member: keyof Container & ('name' | 'image')): Cell<T> =>
  (object) =>
    (read(object)?.containers ?? []).map((container) => container[member] ?? '').join(',');

/** The load balancer status of a Service or Ingress. */
interface Balanced extends KubeObject {
  status?: { loadBalancer?: { ingress?: { ip?: string; hostname?: string }[] } };
}

/** Addresses of a load balancer: IPs, or hostnames where there is no IP; sorted, without duplicates. */
export function loadBalancerAddresses(object: Balanced): string[] {
  const entries = object.status?.loadBalancer?.ingress ?? [];
  const addresses = entries.map(({ ip = '', hostname = '' }) => ip || hostname);
  return [...new Set(addresses.filter((address) => address !== ''))].toSorted();
}

type StatusCondition = Pick<Condition, 'type' | 'status' | 'reason' | 'message' | 'lastTransitionTime'>;
interface WithConditions extends KubeObject {
  status?: { conditions?: StatusCondition[] | null } | null;
}

/** The condition of a type in the status of an object. */
export const conditionOf = (object: WithConditions, type: string): StatusCondition | undefined =>
  object.status?.conditions?.find((condition) => condition.type === type);

/** The name, with ` (default)` when one of the annotations marks the object as the default of its kind. */
export const marked = (annotations: readonly string[]): Cell => {
  return (object) => {
    const isDefault = annotations.some((name) => object.metadata.annotations?.[name] === 'true');
    return `${object.metadata.name ?? ''}${isDefault ? ' (default)' : ''}`;
  };
};

/** The age of a timestamp; `<unknown>` without one. */
export function age(timestamp: unknown): string {
  if (typeof timestamp !== 'string') return '<unknown>';
  const since = Date.parse(timestamp);
  return Number.isNaN(since) ? '<unknown>' : humanDuration(currentTime() - since);
}
