import type { FieldError } from '@apichain/meta';

/** Sorts errors by their texts, field first. The sort is stable. */
export function sortErrors(errors: readonly FieldError[]): FieldError[] {
  const entries = errors.map((error) => ({ text: `${error.field}: ${error.message}`, error }));
  entries.sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0));
  return entries.map(({ error }) => error);
}
