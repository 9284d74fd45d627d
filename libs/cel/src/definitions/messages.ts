import type { FieldError, ListedFacts, Status } from '@apichain/meta';
import type { NonStructural } from '@apichain/schema';
import type { Type } from '@apichain/scheme';

/** What a worker thread shall check. The JSON of the definition follows, and that of the stored one if it is updated. */
export type DefinitionRequest = (ValidationRequest | { readonly check: 'structure' }) & {
  readonly facts: readonly ListedFacts[];
};

interface ValidationRequest {
  readonly check: 'validity';
  /** Of the stored definition; undefined for a new one. */
  readonly oldFacts: readonly ListedFacts[] | undefined;
  /** The text of `meta.v1.ObjectMeta`: see `textOfType`. */
  readonly objectMeta: string;
  /** Whether rules are compiled, and evaluated for defaults. */
  readonly hasRules: boolean;
}

/** The result of a check. `status` is thrown. */
export type DefinitionResult =
  | ValidationResult
  | { readonly kind: 'structure'; readonly found: NonStructural }
  | { readonly kind: 'status'; readonly status: Status };

interface ValidationResult {
  readonly kind: 'validity';
  /** `field.maxErrors` of them at most. */
  readonly errors: readonly FieldError[];
  /** How long rules were compiled and evaluated, in milliseconds. */
  readonly compiled: readonly number[];
  readonly evaluated: readonly number[];
  /** The facts of the new spec, whose JSON follows, if validation has changed a default. */
  readonly specFacts?: readonly ListedFacts[];
}

/** The head of a message as a part. */
export const headPart = (head: DefinitionRequest | DefinitionResult): Uint8Array => Buffer.from(JSON.stringify(head));

const readHead = (part: Uint8Array | undefined): unknown => JSON.parse(Buffer.from(part ?? []).toString());

/** Reads a part that `headPart` made. */
export const requestOf = (part: Uint8Array | undefined): DefinitionRequest => readHead(part) as DefinitionRequest;

/** Reads a part that `headPart` made. */
export const resultOf = (part: Uint8Array | undefined): DefinitionResult => readHead(part) as DefinitionResult;

/** A type that does not contain itself, as text. */
export const textOfType = (type: Type): string =>
  JSON.stringify(type, (key, value: unknown) => (key === 'byName' ? undefined : value));

/** The type of such a text. */
export const typeOfText = (text: string): Type =>
  JSON.parse(text, (_key, value: unknown) => (hasFields(value) ? withNames(value) : value)) as Type;

type WithFields = Type & { readonly fields: NonNullable<Type['fields']> };

const hasFields = (value: unknown): value is WithFields =>
  typeof value === 'object' && value !== null && 'fields' in value && Array.isArray(value.fields);

const withNames = (type: WithFields): Type => ({
  ...type,
  byName: new Map(type.fields.map((field) => [field.name, field])),
});
