import { newQuantity, parseQuantity, quantityFromJson, type Quantity } from '@apichain/meta';

/**
 * Amounts by the name of what they are of (`cpu`, `requests.storage`, `count/pods`), as k8s.io/apiserver/pkg/quota/v1 calculates with them.
 */
export type ResourceList = Map<string, Quantity>;

/** Reads a ResourceList of an object that was validated. */
export function readResourceList(value: Readonly<Record<string, string>> | null | undefined): ResourceList {
  return new Map(Object.entries(value ?? {}).map(([name, amount]) => [name, quantityFromJson(amount)]));
}
export const writeResourceList = (amounts: ResourceList): Record<string, string> =>
  Object.fromEntries([...amounts].toSorted(byName).map(([name, amount]) => [name, amount.toString()]));

const byName = ([a]: readonly [string, Quantity], [b]: readonly [string, Quantity]): number => (a < b ? -1 : 1);
export const one = newQuantity(1);
const zero = parseQuantity('0');

export function addTo(target: ResourceList, amounts: ResourceList): void {
  for (const [name, amount] of amounts) target.set(name, target.get(name)?.add(amount) ?? amount);
}
/** The larger of both, name by name. */
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
/** `a` less `b`, nothing below zero; names of `b` alone count as zero. */
export function difference(a: ResourceList, b: ResourceList): ResourceList {
  const result: ResourceList = new Map();
  for (const [name, amount] of a) {
    const rest = b.has(name) ? amount.sub(b.get(name) ?? zero) : amount;
    result.set(name, rest.sign < 0 ? zero : rest);
  }
  for (const name of b.keys()) if (!a.has(name)) result.set(name, zero);
  return result;
}
/** Only the names given. */
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
/** The names of which there is more than the limit allows. */
export const exceededNames = (amounts: ResourceList, limits: ResourceList): string[] =>
  [...amounts]
    .filter(([name, amount]) => {
      const limit = limits.get(name);
      return limit !== undefined && amount.compare(limit) > 0;
    })
    .map(([name]) => name);
export function sameAmounts(a: ResourceList, b: ResourceList): boolean {
  return a.size === b.size && [...a].every(([name, amount]) => b.get(name)?.equals(amount) === true);
}
/** `cpu=1,pods=3`, by name. */
export const printAmounts = (amounts: ResourceList): string =>
  [...amounts]
    .toSorted(byName)
    .map(([name, amount]) => `${name}=${amount.toString()}`)
    .join(',');
export const printNames = (names: Iterable<string>): string => [...names].toSorted().join(',');
