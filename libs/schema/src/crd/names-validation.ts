import { field, isDNS1035Label, type FieldError } from '@apichain/meta';
import type { CrdNames } from './crd-types.ts';

/** Checks the syntax of names, in spec and status. Empty names are valid here. */
export function validateNames(errors: FieldError[], names: CrdNames | undefined | null, path: string): void {
  const check = (name: string, value: string | undefined) => {
    const problems = value ? isDNS1035Label(value) : [];
    if (problems.length > 0) errors.push(field.invalid(field.child(path, name), value, problems.join(',')));
  };
  const checkKind = (name: string, value: string | undefined) => {
    const problems = value ? isDNS1035Label(value.toLowerCase()) : [];
    if (problems.length > 0)
      errors.push(
        field.invalid(
          field.child(path, name),
          value,
          `may have mixed case, but should otherwise match: ${problems.join(',')}`,
        ),
      );
  };
  const checkEach = function (name: string, values: readonly string[] | undefined): void {
    for (const [i, value] of (values ?? []).entries()) {
      const problems = isDNS1035Label(value);
      if (problems.length > 0)
        errors.push(field.invalid(field.index(field.child(path, name), i), value, problems.join(',')));
    }
  };
  check('plural', names?.plural);
  check('singular', names?.singular);
  checkKind('kind', names?.kind);
  checkKind('listKind', names?.listKind);
  checkEach('shortNames', names?.shortNames);
  if (names?.kind && names.kind === names.listKind)
    errors.push(field.invalid(field.child(path, 'listKind'), names.listKind, 'kind and listKind may not be the same'));
  checkEach('categories', names?.categories);
}
