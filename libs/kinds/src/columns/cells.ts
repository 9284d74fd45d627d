import { labelSelectorFromObject, type KubeObject, type LabelSelectorObject } from '@apichain/meta';
import { entriesOf, at, integer, isRecord, isSet, list, record, records, text, textMap, texts } from '../fields.ts';
import { age } from './duration.ts';

/** Makes one cell of an object's row. */
export type Cell = (object: KubeObject) => unknown;

const split = (path: string): string[] => path.split('.');

/** The text at a path, or something else when there is none. */
export const textAt =
  (path: string, otherwise = ''): Cell =>
  (object) => {
    const value = text(at(object, ...split(path)));
    return value === '' ? otherwise : value;
  };

/** The integer at a path, 0 when unset. */
export const integerAt =
  (path: string): Cell =>
  (object) =>
    integer(at(object, ...split(path)));

/** The integer at a path, or a text when unset. */
export const integerOr =
  (path: string, otherwise: string): Cell =>
  (object) => {
    const value = at(object, ...split(path));
    return isSet(value) ? integer(value) : otherwise;
  };

export const booleanAt =
  (path: string, otherwise = false): Cell =>
  (object) => {
    const value = at(object, ...split(path));
    return typeof value === 'boolean' ? value : otherwise;
  };

export const countAt =
  (path: string): Cell =>
  (object) =>
    list(at(object, ...split(path))).length;

export const ageAt =
  (path: string, otherwise = '<unknown>'): Cell =>
  (object) => {
    const value = at(object, ...split(path));
    return isSet(value) ? age(value) : otherwise;
  };

/** An IntOrString or number as text. */
export const asText =
  (path: string, otherwise: string): Cell =>
  (object) => {
    const value = at(object, ...split(path));
    return typeof value === 'string' || typeof value === 'number' ? String(value) : otherwise;
  };

export const joinedAt =
  (path: string, otherwise: string, separator = ','): Cell =>
  (object) => {
    const values = texts(at(object, ...split(path)));
    return values.length === 0 ? otherwise : values.join(separator);
  };

/** Sorted `key=value` pairs. */
export function labelsText(labels: unknown): string {
  const entries = entriesOf(textMap(labels));
  if (entries.length === 0) return '<none>';
  return entries
    .map(([name, value]) => `${name}=${value}`)
    .toSorted()
    .join(',');
}

export const labelsAt =
  (path: string): Cell =>
  (object) =>
    labelsText(at(object, ...split(path)));

const isSelector = (value: unknown): value is LabelSelectorObject => isRecord(value);

/** The canonical text of a meta/v1 LabelSelector. */
export function selectorText(selector: unknown, invalid = '<error>', empty = '<none>'): string {
  if (!isSelector(selector)) return empty;
  try {
    const made = labelSelectorFromObject(selector);
    return made.empty ? empty : made.toString();
  } catch {
    return invalid;
  }
}

export const selectorAt =
  (path: string): Cell =>
  (object) =>
    selectorText(at(object, ...split(path)));

const accessModeOrder: readonly (readonly [string, string])[] = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
];

export function accessModes(modes: unknown): string {
  const present = new Set(texts(modes));
  return accessModeOrder
    .filter(([mode]) => present.has(mode))
    .map(([, short]) => short)
    .join(',');
}

/** At most `limit` items, then how many more there are. */
export function limited(items: readonly string[], limit: number, separator = ','): string {
  const shown = items.slice(0, limit).join(separator);
  return items.length > limit ? `${shown} + ${items.length - limit} more...` : shown;
}

/** Names or images of the containers of a pod template at `path` (its spec). */
export const containersAt =
  (path: string, member: 'name' | 'image'): Cell =>
  (object) =>
    records(at(object, ...split(path), 'containers'))
      .map((container) => text(container[member]))
      .join(',');

/** Addresses of a load balancer: IPs, hostnames where there is no IP; sorted, each once. */
export function loadBalancerAddresses(object: KubeObject): string[] {
  const addresses = records(at(object.status, 'loadBalancer', 'ingress')).map((i) => text(i.ip) || text(i.hostname));
  return [...new Set(addresses.filter((address) => address !== ''))].toSorted();
}

export const conditionOf = (object: KubeObject, type: string) =>
  records(record(object.status).conditions).find((c) => c.type === type);

/** The name, with a mark when one of the annotations makes the object the default of its kind. */
export const marked = (annotations: readonly string[]): Cell => {
  return (object) => {
    const isDefault = annotations.some((name) => object.metadata.annotations?.[name] === 'true');
    return `${object.metadata.name ?? ''}${isDefault ? ' (default)' : ''}`;
  };
};

/** Cells of a kind by column name. */
export type Cells = Readonly<Record<string, Cell>>;
