import { isRecord, setOwn } from '@apichain/meta';

/** The value with the keys of its maps sorted, as Go prints maps as JSON. */
export function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isRecord(value)) return value;
  const result: Record<string, unknown> = {};
  for (const k of Object.keys(value).sort()) setOwn(result, k, sortKeys(value[k]));
  return result;
}
