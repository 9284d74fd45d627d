import { isRecord } from '@apichain/meta';

export { deepClone as cloneJson, deepEqual as equalJson } from '@apichain/meta';

/** Assigns an own property whatever its name. */
export function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  else target[key] = value;
}

/** The value with the keys of its maps sorted, the way Go prints maps as JSON. */
export function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isRecord(value)) return value;
  const result: Record<string, unknown> = {};
  for (const k of Object.keys(value).sort()) setOwn(result, k, sortKeys(value[k]));
  return result;
}
