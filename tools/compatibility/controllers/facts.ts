import type { ManagedFieldsEntry } from '@apichain/meta';
import { countsOf } from '../../comparison/compare.ts';
import { generatedSuffixes, replaced, times, uids, type Replacement } from '../../comparison/recording.ts';
import type { Anything } from './cluster.ts';

/** Parts of an object's text that two correct servers choose differently. Later patterns see what earlier ones have left. */
const replacements: readonly Replacement[] = [
  ...[uids, times],
  [/\bsimulated:\/\/[0-9a-f]{64}\b/g, 'CONTAINER'],
  [/\b10\.244\.\d+\.\d+\b/g, 'POD-IP'],
  [/\b10\.0\.\d+\.\d+\b/g, 'CLUSTER-IP'],
  [/\b127\.0\.0\.1:\d+/g, 'HOST:PORT'],
  [/\bnode-[123]\b/g, 'NODE'],
  generatedSuffixes,
  // The operator computes it from what its cache has of the StatefulSet, which depends on how far its watch is.
  [/("prometheus-operator-input-hash": ")\d+/g, '$1HASH'],
  // A CronJob names its Jobs after minutes.
  [/-\d{8}\b/g, '-MINUTE'],
];

export const normalise = (text: string): string => replaced(text, replacements);

/** The text of an object for a comparison between servers: without versions, times and random names, conditions and managers sorted. */
export function factsOf(object: Anything): string {
  const { uid: _uid, resourceVersion: _version, managedFields = [], ...metadata } = object.metadata;
  const managers = managedFields.map(managerOf).toSorted();
  return normalise(JSON.stringify({ ...object, metadata: { ...metadata, managers } }, sorted, 1));
}

/** The facts of several objects, sorted, with how often each occurs. */
export function factsOfAll(objects: readonly Anything[]): string {
  return [...countsOf(objects.map(factsOf))]
    .map(([text, count]) => `${count} times ${text}`)
    .toSorted()
    .join('\n');
}

const managerOf = ({ manager = '', operation, subresource, fieldsV1 }: ManagedFieldsEntry): string =>
  [manager, operation, subresource ?? '', JSON.stringify(fieldsV1, sorted)].join(' ');

interface Entry {
  readonly type?: unknown;
  readonly lastTransitionTime?: unknown;
  readonly configMap?: { readonly name?: string };
}

/** A downstream build of kube-apiserver adds it to the token volumes of pods. */
const downstreamConfigMap = 'openshift-service-ca.crt';

/** Members by name; conditions by type. */
function sorted(_key: string, value: unknown): unknown {
  if (Array.isArray(value)) {
    const entries = (value as readonly Entry[]).filter((entry) => entry?.configMap?.name !== downstreamConfigMap);
    if (!entries.every((entry) => typeof entry?.type === 'string' && 'lastTransitionTime' in entry)) return entries;
    return entries.toSorted((a, b) => String(a.type).localeCompare(String(b.type)));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => a.localeCompare(b)));
}
