import { newQuantity, parseQuantity, quantityFromJson, type Quantity } from '@apichain/meta';

/** Quantities by resource name (`cpu`, `requests.storage`, `count/pods`), with the arithmetic of k8s.io/apiserver/pkg/quota/v1. */
export type ResourceList = Map<string, Quantity>;

/** Reads a ResourceList from an object that has been validated. */
export function readResourceList(value: Readonly<Record<string, string>> | null | undefined): ResourceList {
  return new Map(Object.entries(value ?? {}).map(([name, amount]) => [name, quantityFromJson(amount)]));
}

/** The ResourceList of an object, sorted by name. */
export const writeResourceList = (amounts: ResourceList): Record<string, string> =>
  Object.fromEntries([...amounts].toSorted(byName).map(([name, amount]) => [name, amount.toString()]));

const byName = ([a]: readonly [string, Quantity], [b]: readonly [string, Quantity]): number => (a < b ? -1 : 1);
export const one = newQuantity(1);
const zero = parseQuantity('0');

/** Adds the amounts to those of `target`. */
export function addTo(target: ResourceList, amounts: ResourceList): void {
  for (const [name, amount] of amounts) target.set(name, target.get(name)?.add(amount) ?? amount);
}
/** Raises each amount of `target` to the one of `amounts` where that is larger. */
export function raiseTo(target: ResourceList, amounts: ResourceList): void {
  for (const [name, amount] of amounts) {
    const present = target.get(name);
    if (present === undefined || amount.compare(present) > 0) target.set(name, amount);
  }
}
export function sum(a: ResourceList, b: ResourceList): ResourceList {
  const total: ResourceList = new Map(a);
  addTo(total, b);
  return total;
}
/** `a` minus `b`, at least zero. Names that only `b` has are zero in the result. */
export function difference(a: ResourceList, b: ResourceList): ResourceList {
  const result: ResourceList = new Map();
  for (const [name, amount] of a) {
    const rest = b.has(name) ? amount.sub(b.get(name) ?? zero) : amount;
    result.set(name, rest.sign < 0 ? zero : rest);
  }
  for (const name of b.keys()) if (!a.has(name)) result.set(name, zero);
  return result;
}
/** The amounts with these names only. */
export function masked(amounts: ResourceList, names: Iterable<string>): ResourceList {
  const result: ResourceList = new Map();
  for (const name of names) {
    const amount = amounts.get(name);
    if (amount !== undefined) result.set(name, amount);
  }
  return result;
}
export const withoutZeros = (amounts: ResourceList): ResourceList =>
  new Map([...amounts].filter(([, amount]) => !amount.isZero));
export const negativeNames = (amounts: ResourceList): string[] =>
  [...amounts].filter(([, amount]) => amount.sign < 0).map(([name]) => name);
/** The names whose amount exceeds the limit. */
export const exceededNames = (amounts: ResourceList, limits: ResourceList): string[] =>
  [...amounts]
    .filter(([name, amount]) => {
      const limit = limits.get(name);
      return limit !== undefined && amount.compare(limit) > 0;
    })
    .map(([name]) => name);
/** Whether both have the same names with the same amounts. */
export function sameAmounts(a: ResourceList, b: ResourceList): boolean {
  return a.size === b.size && [...a].every(([name, amount]) => b.get(name)?.equals(amount) === true);
}
/** `cpu=1,pods=3`, sorted by name. */
export const printAmounts = (amounts: ResourceList): string =>
  [...amounts]
    .toSorted(byName)
    .map(([name, amount]) => `${name}=${amount.toString()}`)
    .join(',');
export const printNames = (names: Iterable<string>): string => [...names].toSorted().join(',');
