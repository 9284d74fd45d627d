/** What a caught value says: the message of an Error, or the value as text. */
export const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));
