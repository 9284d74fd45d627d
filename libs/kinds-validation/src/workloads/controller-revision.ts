import type { ControllerRevision } from '@apichain/api/apps/v1';
import { isRecord, isSet, sameText } from '@apichain/kinds';
import { field, type FieldError } from '@apichain/meta';
import { collect, immutableDetail, nonNegative } from '../common/rules.ts';

/** A revision must contain data, which can be any JSON object. Other values count as missing. */
export function validateControllerRevision(revision: ControllerRevision): FieldError[] {
  return collect((out) => {
    nonNegative(out, 'revision', revision.revision);
    if (!isSet(revision.data)) out.push(field.required('data', 'data is mandatory'));
    else if (!isRecord(revision.data)) out.push(field.required('data', 'data must be a valid JSON object'));
  });
}

/** The data is immutable, including the order of its members. */
export const validateControllerRevisionUpdate = (revision: ControllerRevision, old: ControllerRevision): FieldError[] =>
  collect((out) => {
    nonNegative(out, 'revision', revision.revision);
    if (!sameText(revision.data, old.data)) out.push(field.invalid('data', revision.data ?? null, immutableDetail));
  });
