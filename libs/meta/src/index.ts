export * from './types.ts';
export * as field from './field-error.ts';
export type { FieldError, FieldErrorReason } from './field-error.ts';
export * from './status.ts';
