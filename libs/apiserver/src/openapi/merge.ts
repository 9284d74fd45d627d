import { isJsonObject, type JsonObject } from '@apichain/meta';

const mergedSections: readonly string[] = ['paths', 'definitions', 'parameters', 'securityDefinitions'];

/** Merges v2 documents. Where several have the same path or definition, the first wins. */
export function mergeOpenApiV2(documents: readonly JsonObject[]): JsonObject {
  const [first, ...others] = documents;
  const merged: JsonObject = { ...first };
  for (const section of mergedSections) {
    const parts = [first, ...others].map((document) => document?.[section]).filter(isJsonObject);
    if (parts.length === 0) continue;
    const union: JsonObject = {};
    for (const part of parts) {
      for (const [name, value] of Object.entries(part)) if (!Object.hasOwn(union, name)) union[name] = value;
    }
    merged[section] = Object.fromEntries(Object.entries(union).sort(([a], [b]) => (a < b ? -1 : 1)));
  }
  return merged;
}
