import type { ObjectInterfaces } from '@apichain/admission';
import {
  deepClone,
  formatGroupVersion,
  isSameKind,
  type GroupVersionKind,
  type GroupVersionResource,
  type JsonObject,
  type KubeObject,
} from '@apichain/meta';
import { completedKind, isUntyped, typedKindProblem, type KnownKinds } from '../negotiation/check-kind.ts';
import { strictDecodingError, unknownField } from '../negotiation/decode-object.ts';
import { statedKind } from '../negotiation/version-and-kind.ts';
import type { ObjectCodec } from '../registry/object-codec.ts';
import type { EquivalentVersion, ResourceStorage } from '../registry/rest.ts';

/** A subresource with a separate kind, such as scale, has that kind in every version of its resource. */
const ofOwnKind = (own: EquivalentVersion, others: readonly EquivalentVersion[]): readonly EquivalentVersion[] =>
  others.length === 0 ? [own] : others.map(({ resource }) => ({ ...own, resource }));

/** The information about an endpoint's objects that admission plugins can request. Built once per endpoint. */
export function objectInterfaces(
  storage: ResourceStorage,
  codec: ObjectCodec,
  resource: GroupVersionResource,
  kinds: KnownKinds,
): ObjectInterfaces {
  const own: EquivalentVersion = { resource, kind: codec.kind, codec };
  const others = storage.equivalents ?? [];
  const equivalents = others.some(({ kind }) => isSameKind(kind, codec.kind)) ? others : ofOwnKind(own, others);
  const codecOf = (kind: GroupVersionKind): ObjectCodec =>
    equivalents.find((equivalent) => isSameKind(equivalent.kind, kind))?.codec ?? codec;
  return {
    equivalents,
    type: storage.type,
    convert: (object, kind) => codec.convert(deepClone(object), formatGroupVersion(kind)),
    // A custom object has already been pruned by its schema. Plugin output is only defaulted, not pruned again.
    decode(value, kind, strict) {
      const target = codecOf(kind);
      const typed = !isUntyped(target);
      const given = value as JsonObject;
      const stated = typed ? completedKind(statedKind(given), kind) : undefined;
      const problem = stated === undefined ? undefined : typedKindProblem(stated, target, kinds);
      if (stated !== undefined && problem !== undefined) {
        // As in Go, the value is decoded as its stated kind first, so errors of that step come before this one.
        if (kinds.recognizes(stated)) kinds.unknownFieldsOf?.(stated, given);
        throw new Error(problem);
      }
      const { object, unknownFields } = target.decode(given, { applied: true });
      if (typed && strict && unknownFields.length > 0)
        throw new Error(strictDecodingError(unknownFields.map(unknownField)));
      return object satisfies KubeObject;
    },
  };
}
