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

/** The kinds that a server has types for, for the words of its errors. */
export interface KnownKinds {
  /** The name of the scheme as errors print it. */
  readonly name: string;
  recognizes(kind: GroupVersionKind): boolean;
  /** Whether the one is the other in a form that this endpoint does not take, of another group perhaps. */
  readsAs?(given: GroupVersionKind, expected: GroupVersionKind): boolean;
  /** Reads a value of a recognized kind, and answers with the fields that the kind does not have. `facts` = those of its text. Throws where it does not read. */
  unknownFieldsOf?(given: GroupVersionKind, value: JsonObject, facts?: DocumentFacts): readonly string[];
}

/** Whether objects are read without a type: those of a custom resource, but not its Scale. */
export const isUntyped = (codec: ObjectCodec): boolean => codec.custom && codec.decodeFailure === undefined;

/** What a value is for a typed decoder, which fills what the value does not say from the kind that it expects. */
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

/** How Go names the package of a group's internal types; those of events.k8s.io are of the core group. */
export const internalPackage = (group: string): string =>
  group === '' || group === 'events.k8s.io' ? 'core' : (group.split('.', 1)[0] ?? '');

const isNamed = (given: GroupVersionKind, expected: GroupVersionKind): boolean =>
  given.kind === expected.kind && given.group === expected.group;

/** Kinds that are the same in every version of every group. */
const unversionedKinds: ReadonlySet<string> = new Set(
  'Status APIVersions APIGroup APIGroupList APIResourceList'.split(' '),
);
/** The version of the types that the server itself works with. Those of options and watches have none of their own. */
export const internalVersion = '__internal';
const onlyVersioned = /Options$|^WatchEvent$/;

/** Why a value of this kind is none of the expected one, in any version of it; undefined when it is. */
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
 * Refuses an untyped object whose kind or version is not the endpoint's; the answer names the object by what it says it is.
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
