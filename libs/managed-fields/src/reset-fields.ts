import { recursiveDifference, setOf, type FieldSet } from './field-set.ts';
import { fieldElement } from './path-element.ts';

/** Takes the fields out of a set that an endpoint never owns. */
export type FieldFilter = (set: FieldSet) => FieldSet;

const elementsOf = (path: string): string[] => path.split('.').map(fieldElement);

/** Drops these dotted paths and all below them. */
export function excludeFields(paths: readonly string[]): FieldFilter {
  const excluded = setOf(paths.map(elementsOf));
  return (set) => recursiveDifference(set, excluded);
}
