import { stringifyJson } from '@apichain/meta';

export { semanticEqual } from '@apichain/meta';

/** Whether two objects of any kind are the same text: runtime.RawExtension holds bytes, so the order of members counts. */
export const sameText = (a: unknown, b: unknown): boolean => stringifyJson(a ?? null) === stringifyJson(b ?? null);
