import type { JsonObject, JsonValue } from './types.ts';

/** Whether a value is an object with members: not null, not a list. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The same of a JSON value, whose members are JSON values. */
export const isJsonObject = (value: JsonValue | undefined): value is JsonObject => isRecord(value);
