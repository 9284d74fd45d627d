/** The message of a caught value: that of an Error, else the value as text. */
export const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** A caught value as an Error: the value itself, or a new Error whose message is the value as text. */
export const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** Whether a caught value is an Error of the operating system or of Node with one of these codes, such as `ENOENT`. */
export const hasErrorCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code));

/**
 * Several messages as Go prints an aggregate of errors: without repetitions, in brackets if more than one. Source:
 * k8s.io/apimachinery/pkg/util/errors.
 */
export function aggregateMessage(messages: readonly string[]): string {
  const distinct = [...new Set(messages)];
  return distinct.length === 1 ? (distinct[0] ?? '') : `[${distinct.join(', ')}]`;
}
