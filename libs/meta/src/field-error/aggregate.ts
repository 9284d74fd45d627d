import { shortened } from '@apichain/go-text';
import { maxErrors } from './collect.ts';
import type { FieldError } from './errors.ts';

/** The most text of errors, in characters, that a response shows. */
export const maxShownText = 1 << 18;

/** The errors that a response shows. The text is bounded, so that a response is not many times larger than its request. */
export interface ShownErrors {
  readonly errors: readonly FieldError[];
  readonly all: boolean;
}

/** Makes the texts of the errors, in order, until the text is too long or the errors are too many. Shows at least one error. */
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

/**
 * The text of a list of field errors: a single error as it is, several in brackets, without repetitions. Ends with `and more` if not all
 * are shown.
 */
export function aggregateFieldErrors(errors: readonly FieldError[]): string {
  return textOfShown(shownErrors(errors));
}

/** The text of errors that `shownErrors` has selected. */
export function textOfShown({ errors, all }: ShownErrors): string {
  const texts = [...new Set(errors.map((e) => `${e.field}: ${e.message}`)), ...(all ? [] : ['and more'])];
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
}
