import type { ObjectInterfaces } from '@apichain/admission';
import {
  deepClone,
  formatGroupVersion,
  type GroupVersionKind,
  type GroupVersionResource,
  type KubeObject,
} from '@apichain/meta';
import { converted } from '../registry/pending-conversion.ts';
import type { ObjectCodec } from '../registry/object-codec.ts';
import type { EquivalentVersion, ResourceStorage } from '../registry/rest.ts';

const sameKind = (a: GroupVersionKind, b: GroupVersionKind): boolean =>
  a.group === b.group && a.version === b.version && a.kind === b.kind;

/** What admission plugins may ask about the objects of an endpoint; made once. */
export function objectInterfaces(
  storage: ResourceStorage,
  codec: ObjectCodec,
  resource: GroupVersionResource,
): ObjectInterfaces {
  const own: EquivalentVersion = { resource, kind: codec.kind, codec };
  const others = storage.equivalents ?? [];
  const equivalents = others.some(({ kind }) => sameKind(kind, codec.kind)) ? others : [own];
  const codecOf = (kind: GroupVersionKind): ObjectCodec =>
    equivalents.find((equivalent) => sameKind(equivalent.kind, kind))?.codec ?? codec;
  return {
    equivalents,
    type: storage.type,
    convert: (object, kind) => converted(() => codec.convert(deepClone(object), formatGroupVersion(kind))),
    // The schema of a custom kind has seen the object; what a plugin adds is only completed, not pruned.
    decode: (value, kind) =>
      codecOf(kind).decode(value as Parameters<ObjectCodec['decode']>[0], { applied: true })
        .object satisfies KubeObject,
  };
}
