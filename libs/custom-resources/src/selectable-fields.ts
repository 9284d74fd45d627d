import type { SelectableFields } from '@apichain/apiserver';
import { stringifyJson } from '@apichain/meta';
import { parseJsonPath } from './json-path.ts';

/** The selectableFields of a CRD version as field selectors. A missing value is '', others are converted to text. */
export function selectableFields(
  declared: readonly { jsonPath?: string }[] | undefined,
  namespaced: boolean,
): SelectableFields {
  const fields = (declared ?? []).map(({ jsonPath = '' }) => ({
    label: jsonPath.replace(/^\./, ''),
    path: parseJsonPath(jsonPath),
  }));
  return {
    labels: ['metadata.name', ...(namespaced ? ['metadata.namespace'] : []), ...fields.map((f) => f.label)],
    values: (object) => Object.fromEntries(fields.map((f) => [f.label, text(f.path.find(object)[0])])),
  };
}

const text = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : stringifyJson(value);
