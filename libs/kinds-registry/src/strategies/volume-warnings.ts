import { goQuote } from '@apichain/go-text';
import { lookupTable, withoutTrailing, isSet } from '@apichain/meta';
import type { PersistentVolumeSource, PodSpec, Volume, VolumeProjection, VolumeSource } from '@apichain/api/core/v1';
import { claimSpecWarnings } from './persistentvolumeclaim.ts';

const deprecatedVolumes = {
  photonPersistentDisk: 'deprecated in v1.11, non-functional in v1.16+',
  gitRepo: 'deprecated in v1.11, and disabled by default in v1.33+',
  scaleIO: 'deprecated in v1.16, non-functional in v1.22+',
  flocker: 'deprecated in v1.22, non-functional in v1.25+',
  storageos: 'deprecated in v1.22, non-functional in v1.25+',
  quobyte: 'deprecated in v1.22, non-functional in v1.25+',
  glusterfs: 'deprecated in v1.25, non-functional in v1.26+',
  cephfs: 'deprecated in v1.28, non-functional in v1.31+',
  rbd: 'deprecated in v1.28, non-functional in v1.31+',
} satisfies Partial<Record<keyof (VolumeSource | PersistentVolumeSource) | keyof Volume, string>>;
type DeprecatedVolume = keyof typeof deprecatedVolumes;
const deprecatedNames = Object.keys(deprecatedVolumes) as DeprecatedVolume[];
const volumePathNames: Readonly<Record<string, string>> = lookupTable({ storageos: 'storageOS' });

/** The warnings about volume plugins at `path`, for pod volumes and persistent volumes alike. */
export function volumePluginWarnings(
  source: { readonly [Name in DeprecatedVolume]?: unknown },
  path: string,
): string[] {
  return deprecatedNames
    .filter((name) => isSet(source[name]))
    .map((name) => `${path}.${volumePathNames[name] ?? name}: ${deprecatedVolumes[name]}`);
}

/** A file in a volume, and its source when the volume has several sources. */
interface ShownFile {
  readonly path: string;
  readonly source: string;
}

const shown = ({ path, source }: ShownFile): string => (source === '' ? goQuote(path) : `${goQuote(path)} (${source})`);

/** A bound on the reported pairs of files: more warnings than a response can hold. */
const mostOverlaps = 1_000;

/** Pairs of files that are equal or one of which is a parent directory of the other, as indexes; a bounded number. */
function overlaps(paths: readonly string[]): [earlier: number, later: number][] {
  // In this order, the contents of a directory directly follow the directory.
  const sorted = [...paths.keys()]
    .filter((i) => paths[i] !== '')
    .map((i): [string, number] => [`${paths[i] ?? ''}/`, i])
    .sort(([a, i], [b, j]) => (a < b ? -1 : a > b ? 1 : i - j));
  const found: [number, number][] = [];
  const above: [string, number][] = [];
  for (const entry of sorted) {
    const [path, position] = entry;
    for (let last = above.at(-1); last !== undefined && !path.startsWith(last[0]); last = above.at(-1)) above.pop();
    for (const [, other] of above) {
      if (found.length >= mostOverlaps) return found;
      found.push(position > other ? [other, position] : [position, other]);
    }
    above.push(entry);
  }
  return found;
}

/** Adds warnings about overlapping files of one volume, ordered by the later file of each pair. */
function overlapWarnings(out: string[], volume: string, given: readonly ShownFile[]): void {
  if (given.length < 2) return;
  const files = given.map((file) => ({ ...file, path: withoutTrailing(file.path, '/') }));
  const pairs = overlaps(files.map(({ path }) => path)).sort(([a, b], [c, d]) => b - d || a - c);
  for (const [earlier, later] of pairs) {
    const [before, file] = [files[earlier], files[later]];
    if (before !== undefined && file !== undefined)
      out.push(`${volume}: overlapping paths: ${shown(file)} with ${shown(before)}`);
  }
}

/** A source that may list the files that it provides. */
interface ItemSource {
  readonly items?: readonly { readonly path?: string }[];
}

const itemFiles = (source: ItemSource | undefined, name: string): ShownFile[] | undefined =>
  source?.items?.map((item) => ({ path: item.path ?? '', source: name }));

/** The files of a projected source; none if the source does not list them. */
function projectedFiles({ configMap, secret, downwardAPI, serviceAccountToken }: VolumeProjection): ShownFile[] {
  const named = (kind: string, value: { readonly name?: string } | undefined) =>
    `${kind} ${goQuote(value?.name ?? '')}`;
  return (
    itemFiles(configMap, named('ConfigMap', configMap)) ??
    itemFiles(secret, named('Secret', secret)) ??
    itemFiles(downwardAPI, 'DownwardAPI') ??
    (isSet(serviceAccountToken) ? [{ path: serviceAccountToken.path ?? '', source: 'ServiceAccountToken' }] : [])
  );
}

function projectedWarnings(
  out: string[],
  volume: string,
  sources: readonly VolumeProjection[] | null | undefined,
): void {
  const files: ShownFile[] = [];
  for (const source of sources ?? []) {
    if (Object.values(source).every((value) => !isSet(value))) out.push(`${volume} has no sources provided`);
    else for (const file of projectedFiles(source)) files.push(file);
  }
  overlapWarnings(out, volume, files);
}

function pathWarnings(out: string[], volume: Volume): void {
  const { configMap, secret, downwardAPI, projected } = volume;
  const at = (kind: string) => `volume ${goQuote(volume.name ?? '')} (${kind})`;
  const check = (source: ItemSource, kind: string) => {
    const files = itemFiles(source, '');
    if (files !== undefined) overlapWarnings(out, at(kind), files);
  };
  if (isSet(configMap)) check(configMap, `ConfigMap ${goQuote(configMap.name ?? '')}`);
  if (isSet(secret)) check(secret, `Secret ${goQuote(secret.secretName ?? '')}`);
  if (isSet(downwardAPI)) check(downwardAPI, 'DownwardAPI');
  if (isSet(projected)) projectedWarnings(out, at('Projected'), projected.sources);
}

/** Warnings about the volumes of the pod spec at `path`. */
export function volumeWarnings(out: string[], spec: PodSpec, path: string): void {
  const volumes = spec.volumes ?? [];
  for (const [i, volume] of volumes.entries()) {
    const where = `${path}.volumes[${i}]`;
    out.push(...volumePluginWarnings(volume, where));
    const template = volume.ephemeral?.volumeClaimTemplate;
    if (isSet(template)) {
      out.push(...claimSpecWarnings(template.spec ?? {}, `${where}.ephemeral.volumeClaimTemplate.spec`));
    }
  }
  for (const volume of volumes) pathWarnings(out, volume);
}
