import { shortened } from '@apichain/go-text';
import { maxErrors } from './collect.ts';
import type { FieldError } from './errors.ts';

/** As much text of errors, in characters, as an answer shows before it says that there is more. */
export const maxShownText = 1 << 18;

/** What of some errors is shown: all, but that a client must not get more text than it sent many times over. */
export interface ShownErrors {
  readonly errors: readonly FieldError[];
  readonly all: boolean;
}

/** The errors with their texts made, from the first to where the texts get too long or too many; at least one. */
export function shownErrors(errors: readonly FieldError[]): ShownErrors {
  const shown: FieldError[] = [];
  let length = 0;
  for (const { reason, field, message: whole } of errors) {
    const message = shortened(whole, maxShownText);
    length += field.length + message.length;
    if (shown.length > 0 && (length > maxShownText || shown.length >= maxErrors)) return { errors: shown, all: false };
    shown.push({ reason, field, message });
  }
  return { errors: shown, all: true };
}

/** The text of a list of field errors: one bare, several between brackets, repetitions dropped; `and more` where not all are shown. */
export function aggregateFieldErrors(errors: readonly FieldError[]): string {
  return textOfShown(shownErrors(errors));
}

/** The same of errors that were selected already. */
export function textOfShown({ errors, all }: ShownErrors): string {
  const texts = [...new Set(errors.map((e) => `${e.field}: ${e.message}`)), ...(all ? [] : ['and more'])];
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
}
