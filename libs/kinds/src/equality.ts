import { stringifyJson } from '@apichain/meta';

export { semanticEqual } from '@apichain/meta';

/** Whether two objects have the same JSON text. The order of members counts, because runtime.RawExtension holds bytes. */
export const sameText = (a: unknown, b: unknown): boolean => stringifyJson(a ?? null) === stringifyJson(b ?? null);
