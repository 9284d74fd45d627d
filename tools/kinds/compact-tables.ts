import { text } from '@apichain/meta';

/** Converts the tables about kinds from the facts form to the form that libs/kinds reads. Prose of the input is dropped. */
export type Json = Record<string, unknown>;

const asArray = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : []);
const pick = (from: Json, names: readonly string[]): Json =>
  Object.fromEntries(names.filter((name) => from[name] !== undefined).map((name) => [name, from[name]]));
const gvName = (gv: Json): string => `${text(gv['group']) || 'core'}.${text(gv['version'])}`;

/** Group-versions with their resources; `typesOnlyNotServed` and `disabledButListed` name group-versions. */
export function compactKinds(kinds: Json): Json {
  const table: Json = {};
  for (const gv of asArray(kinds['groupVersions'])) table[gvName(gv)] = gv;
  return table;
}

const fieldPath = /^[a-zA-Z][\w.]*(\[\d+\][\w.]*)*$/;

/** The columns of a kind. `path` is present only for a cell that shows a field unchanged, `age` for a cell that shows the age of a field. */
export function compactColumns(columns: Json): Json[] {
  return asArray(columns['kinds']).map((kind) => ({
    group: kind['group'],
    kind: kind['kind'],
    columns: asArray(kind['columns']).map((column) => {
      const cell = text(column['cell']);
      const age = cell.startsWith('age of ') ? cell.slice('age of '.length) : '';
      return {
        ...pick(column, ['name', 'type', 'format', 'priority']),
        ...(fieldPath.test(cell) ? { path: cell } : {}),
        ...(fieldPath.test(age) ? { age } : {}),
      };
    }),
  }));
}

/** `group.version.Kind` -> accepted labels, aliases, and the labels that index watches. */
export function compactFieldSelectors(selectors: Json): Json {
  const table: Json = {};
  for (const kind of asArray(selectors['kinds'])) {
    table[`${gvName(kind)}.${text(kind['kind'])}`] = pick(kind, [
      'labels',
      'aliases',
      'acceptedButNoValue',
      'watchIndex',
    ]);
  }
  return table;
}

const simpleWhen: Readonly<Record<string, string>> = {
  absent: 'absent',
  'empty string or absent': 'empty',
  '0 or absent': 'zero',
  'empty or absent': 'emptyList',
};

/** Type names in the rules omit the domain of the group. The table uses the names of the type files. */
function fullTypeName(groupVersion: string, type: string): string {
  const [group = '', version = ''] = groupVersion.split('/');
  const [, ...rest] = type.split('.');
  return [group, ...(rest[0] === version ? rest : [version, ...rest])].join('.');
}

/** Empty maps that kube-apiserver sets in memory but omits from JSON, for admission as well as for clients. */
const unseen = new Set(['core.v1.ConfigMap.data']);

/**
 * Default rules that consist of one value and one simple condition: type -> [path, condition, value].
 * All other rules are written by hand in libs/kinds/src/defaults.
 */
export function compactDefaults(defaults: Json): Json {
  const table: Record<string, unknown[]> = {};
  for (const [groupVersion, rules] of Object.entries(defaults)) {
    if (groupVersion.startsWith('_')) continue;
    for (const rule of asArray(rules)) {
      const when = simpleWhen[text(rule['when'])];
      if (when === undefined || rule['computed'] !== undefined) continue;
      const type = fullTypeName(groupVersion, text(rule['type']));
      if (unseen.has(`${type}.${text(rule['path'])}`)) continue;
      (table[type] ??= []).push([rule['path'], when, rule['value'], rule['order'] ?? 0]);
    }
  }
  return Object.fromEntries(Object.entries(table).map(([type, rules]) => [type, rules]));
}
