import {
  field,
  formatGroupVersion,
  newInvalid,
  type DocumentFacts,
  type FieldError,
  type GroupVersionKind,
  type JsonObject,
} from '@apichain/meta';
import { goQuote } from '@apichain/go-text';
import type { ObjectCodec } from '../registry/object-codec.ts';
import type { StatedKind } from '@apichain/scheme';

/** The kinds that a server has types for, used for error messages. */
export interface KnownKinds {
  /** The name of the scheme in error messages. */
  readonly name: string;
  recognizes(kind: GroupVersionKind): boolean;
  /** Whether `given` is the expected kind in a form that this endpoint does not accept, possibly of another group. */
  readsAs?(given: GroupVersionKind, expected: GroupVersionKind): boolean;
  /** Decodes a value of a recognized kind and returns its unknown fields. `facts` are those of its text. Throws if decoding fails. */
  unknownFieldsOf?(given: GroupVersionKind, value: JsonObject, facts?: DocumentFacts): readonly string[];
}

/** Whether objects are decoded without a type: custom resources, but not their Scale. */
export const isUntyped = (codec: ObjectCodec): boolean => codec.custom && codec.decodeFailure === undefined;

/** The kind of a value for a typed decoder, which takes missing parts from the expected kind. */
export function completedKind(stated: StatedKind, expected: GroupVersionKind): StatedKind {
  const { group, version } = stated;
  const isOfGroup = group === '' || group === expected.group;
  return {
    apiVersion: stated.apiVersion,
    group: version === '' && isOfGroup ? expected.group : group,
    version: version === '' && isOfGroup ? expected.version : version,
    kind: stated.kind === '' ? expected.kind : stated.kind,
  };
}

/** The Go package of a group's internal types; events.k8s.io uses the core group's. */
export const internalPackage = (group: string): string =>
  group === '' || group === 'events.k8s.io' ? 'core' : (group.split('.', 1)[0] ?? '');

const isNamed = (given: GroupVersionKind, expected: GroupVersionKind): boolean =>
  given.kind === expected.kind && given.group === expected.group;

/** Kinds that are the same in every version of every group. */
const unversionedKinds: ReadonlySet<string> = new Set(
  'Status APIVersions APIGroup APIGroupList APIResourceList'.split(' '),
);
/** The version of the server's internal types. Options and watch events have no internal version. */
export const internalVersion = '__internal';
const onlyVersioned = /Options$|^WatchEvent$/;

/** Why a value of the given kind cannot be the expected kind in any version; undefined when it can. */
export function typedKindProblem(
  given: GroupVersionKind,
  { kind: expected, acceptedVersions, schemeName }: ObjectCodec,
  kinds: KnownKinds,
): string | undefined {
  const isAccepted = given.version === expected.version || acceptedVersions?.includes(given.version) === true;
  if (isNamed(given, expected) && isAccepted) return undefined;
  const intoExpected = `to (${internalPackage(expected.group)}.${expected.kind}): unknown conversion`;
  if (schemeName === undefined && unversionedKinds.has(given.kind))
    return `converting (v1.${given.kind}) ${intoExpected}`;
  if (schemeName === undefined && given.version === internalVersion) {
    const known = kinds.recognizes({ ...given, version: expected.version }) && !onlyVersioned.test(given.kind);
    if (!known)
      return `no kind ${goQuote(given.kind)} is registered for the internal version of group ${goQuote(given.group)} in scheme ${goQuote(kinds.name)}`;
    return isNamed(given, expected)
      ? undefined
      : `converting (${internalPackage(given.group)}.${given.kind}) ${intoExpected}`;
  }
  if (schemeName !== undefined || !kinds.recognizes(given)) {
    return `no kind ${goQuote(given.kind)} is registered for version ${goQuote(formatGroupVersion(given))} in scheme ${goQuote(schemeName ?? kinds.name)}`;
  }
  if (isNamed(given, expected)) return undefined;
  return `converting (${given.version}.${given.kind}) ${intoExpected}`;
}

/**
 * Refuses an untyped object whose kind or version differs from the endpoint's. The error names the kind that the object states.
 * Throws Invalid. Source: ValidateTypeMeta of apiextensions-apiserver/pkg/registry/customresource.
 */
export function checkTypeMeta(given: StatedKind, expected: GroupVersionKind, name: string): void {
  const errors: FieldError[] = [];
  if (given.kind !== expected.kind) errors.push(field.invalid('kind', given.kind, `must be ${expected.kind}`));
  const apiVersion = formatGroupVersion(expected);
  if (given.apiVersion !== apiVersion) {
    errors.push(field.invalid('apiVersion', given.apiVersion, `must be ${apiVersion}`));
  }
  if (errors.length > 0) throw newInvalid(given, name, errors);
}
