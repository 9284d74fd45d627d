import { leaf, recursiveDifference, setOf, type FieldSet, type FieldSetBuilder } from './field-set.ts';
import { fieldElement } from './path-element.ts';

/** Takes the fields out of a set that an endpoint never owns. */
export type FieldFilter = (set: FieldSet) => FieldSet;

const elementsOf = (path: string): string[] => path.split('.').map(fieldElement);

/** Drops these dotted paths and all below them. */
export function excludeFields(paths: readonly string[]): FieldFilter {
  const excluded = setOf(...paths.map(elementsOf));
  return (set) => recursiveDifference(set, excluded);
}

/** Keeps only what lies at or below these dotted paths; `*` stands for any element, e.g. `spec.containers.*.resources`. */
export function includeFields(paths: readonly string[]): FieldFilter {
  const patterns = paths.map((path) => path.split('.'));
  return (set) => keepMatching(set, patterns);
}

function keepMatching(set: FieldSet, patterns: readonly (readonly string[])[]): FieldSet {
  const out: FieldSetBuilder = {};
  for (const element in set) {
    const matching = patterns.filter(([first]) => first === '*' || fieldElement(first ?? '') === element);
    const node = set[element] ?? leaf;
    if (matching.length === 0) continue;
    const rest = matching.map((pattern) => pattern.slice(1));
    out[element] = rest.some((pattern) => pattern.length === 0) ? node : keepMatching(node, rest);
  }
  return out;
}
