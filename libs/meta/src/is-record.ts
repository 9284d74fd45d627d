import type { List } from './document-facts.ts';
import type { JsonObject } from './types.ts';

/** Whether a value is an object with members: not null, not a list. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `isRecord` for values read from JSON, whose members are JSON values too. */
export const isJsonObject = (value: unknown): value is JsonObject => isRecord(value);

/** `Array.isArray` for values read from JSON. */
export const isList = (value: unknown): value is List => Array.isArray(value);

/** Whether a value contains others: an object with members, or a list, whose members are its items by index. */
export const isContainer = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
