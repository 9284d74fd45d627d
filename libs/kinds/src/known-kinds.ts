import {
  compareText,
  formatGroupVersion,
  lazy,
  parseGroupVersion,
  type DocumentFacts,
  type GroupVersion,
  type GroupVersionKind,
  type JsonObject,
  lookupTable,
} from '@apichain/meta';
import { decodeObject } from '@apichain/scheme';
import { builtinType, registeredVersions } from './types.ts';

const workloads = ['Deployment', 'ControllerRevision', 'Scale'];
/** Kinds in versions that are no longer served, as old clients still send them. */
const formerKinds: Readonly<Record<string, readonly string[]>> = lookupTable({
  'extensions/v1beta1': ['Deployment', 'DaemonSet', 'ReplicaSet', 'Ingress', 'NetworkPolicy', 'Scale'],
  'apps/v1beta1': [...workloads, 'StatefulSet'],
  'apps/v1beta2': [...workloads, 'StatefulSet', 'DaemonSet', 'ReplicaSet'],
});

/** Groups with types that are no part of the scheme of kube-apiserver. */
const otherGroups =
  /^(?:apidiscovery\.k8s\.io|audit\.k8s\.io|meta\.k8s\.io|metrics\.k8s\.io|(?:custom|external)\.metrics\.k8s\.io)$/;
const formerVersions = [...Object.keys(formerKinds), 'apiextensions.k8s.io/v1beta1', 'apiregistration.k8s.io/v1beta1'];

/** The group-versions of the scheme of kube-apiserver, served or not, sorted. */
export const schemeVersions = lazy((): readonly GroupVersion[] =>
  [
    ...registeredVersions().filter(({ group }) => !otherGroups.test(group)),
    ...formerVersions.map(parseGroupVersion),
  ].sort((a, b) => compareText(a.group, b.group) || compareText(a.version, b.version)),
);

const eventGroups = ['', 'events.k8s.io'];

/** Kinds that moved between groups are accepted in all of these groups, whichever group the endpoint has. */
function readsAs(given: GroupVersionKind, expected: GroupVersionKind): boolean {
  if (given.kind !== expected.kind) return false;
  if (formerKinds[formatGroupVersion(given)]?.includes(given.kind) === true) return true;
  return given.kind === 'Event' && eventGroups.includes(given.group) && builtinType(given) !== undefined;
}

function unknownFieldsOf(given: GroupVersionKind, value: JsonObject, facts?: DocumentFacts): readonly string[] {
  const type = builtinType(given);
  if (type === undefined) return [];
  return decodeObject(value, type, { facts }).unknownFields;
}
/** Kinds of meta/v1 that the request body decoder of kube-apiserver does not register, or only in versions of other groups. */
const onlyInResponses = ({ group, kind }: GroupVersionKind): boolean =>
  group === 'meta.k8s.io' || /^(?:Table|TableOptions|PartialObjectMetadata|PartialObjectMetadataList)$/.test(kind);

/** The built-in kinds, for the decoder of request bodies; the name identifies the scheme in its errors. */
export const builtinKinds = {
  name: 'pkg/api/legacyscheme/scheme.go:30',
  recognizes: (kind: GroupVersionKind): boolean => !onlyInResponses(kind) && builtinType(kind) !== undefined,
  readsAs,
  unknownFieldsOf,
} as const;
