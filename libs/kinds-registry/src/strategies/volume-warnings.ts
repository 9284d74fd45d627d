import { goQuote } from '@apichain/go-text';
import { lookupTable, withoutTrailing } from '@apichain/meta';
import { at, isRecord, isSet, type Plain, record, records, text } from '@apichain/kinds';
import { claimSpecWarnings } from './persistentvolumeclaim.ts';

const deprecatedVolumes: Readonly<Record<string, string>> = {
  photonPersistentDisk: 'deprecated in v1.11, non-functional in v1.16+',
  gitRepo: 'deprecated in v1.11, and disabled by default in v1.33+',
  scaleIO: 'deprecated in v1.16, non-functional in v1.22+',
  flocker: 'deprecated in v1.22, non-functional in v1.25+',
  storageos: 'deprecated in v1.22, non-functional in v1.25+',
  quobyte: 'deprecated in v1.22, non-functional in v1.25+',
  glusterfs: 'deprecated in v1.25, non-functional in v1.26+',
  cephfs: 'deprecated in v1.28, non-functional in v1.31+',
  rbd: 'deprecated in v1.28, non-functional in v1.31+',
};
const volumePathNames: Readonly<Record<string, string>> = lookupTable({ storageos: 'storageOS' });

/** What a plugin says at `path`, for pod volumes and persistent volumes alike. */
export function volumePluginWarnings(source: Plain, path: string): string[] {
  return Object.entries(deprecatedVolumes)
    .filter(([name]) => isSet(source[name]))
    .map(([name, message]) => `${path}.${volumePathNames[name] ?? name}: ${message}`);
}

/** A file that a volume shows, and what it comes from when the volume has several sources. */
interface ShownFile {
  readonly path: string;
  readonly source: string;
}

const shown = ({ path, source }: ShownFile): string => (source === '' ? goQuote(path) : `${goQuote(path)} (${source})`);

/** As many pairs of files are spoken of: more warnings than an answer has room for. */
const mostOverlaps = 1_000;

/** Pairs of files of which one is the other, or a directory above it: first positions, a bounded number. */
function overlaps(paths: readonly string[]): [earlier: number, later: number][] {
  // In this order what lies in a directory follows it.
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

/** Adds what is wrong with the files of one volume, in the order of the later file of each pair. */
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

const itemFiles = (source: unknown, name: string): ShownFile[] | undefined =>
  isSet(at(source, 'items'))
    ? records(at(source, 'items')).map((item) => ({ path: text(item.path), source: name }))
    : undefined;

/** The files of a projected source; none for one that does not say which. */
function projectedFiles(source: Plain): ShownFile[] {
  const { configMap, secret, downwardAPI, serviceAccountToken } = source;
  const named = (kind: string, value: unknown) => `${kind} ${goQuote(text(record(value).name))}`;
  return (
    itemFiles(configMap, named('ConfigMap', configMap)) ??
    itemFiles(secret, named('Secret', secret)) ??
    itemFiles(downwardAPI, 'DownwardAPI') ??
    (isRecord(serviceAccountToken) ? [{ path: text(serviceAccountToken.path), source: 'ServiceAccountToken' }] : [])
  );
}

function projectedWarnings(out: string[], volume: string, sources: unknown): void {
  const files: ShownFile[] = [];
  for (const source of records(sources)) {
    if (Object.values(source).every((value) => !isSet(value))) out.push(`${volume} has no sources provided`);
    else for (const file of projectedFiles(source)) files.push(file);
  }
  overlapWarnings(out, volume, files);
}

function pathWarnings(out: string[], volume: Plain): void {
  const { configMap, secret, downwardAPI, projected } = volume;
  const at = (kind: string) => `volume ${goQuote(text(volume.name))} (${kind})`;
  const check = (source: unknown, kind: string) => {
    const files = itemFiles(source, '');
    if (files !== undefined) overlapWarnings(out, at(kind), files);
  };
  if (isRecord(configMap)) check(configMap, `ConfigMap ${goQuote(text(configMap.name))}`);
  if (isRecord(secret)) check(secret, `Secret ${goQuote(text(secret.secretName))}`);
  if (isRecord(downwardAPI)) check(downwardAPI, 'DownwardAPI');
  if (isRecord(projected)) projectedWarnings(out, at('Projected'), projected.sources);
}

/** What to say about the volumes of a pod spec at `path`. */
export function volumeWarnings(out: string[], spec: Plain, path: string): void {
  const volumes = records(spec.volumes);
  for (const [i, volume] of volumes.entries()) {
    const where = `${path}.volumes[${i}]`;
    out.push(...volumePluginWarnings(volume, where));
    const template = at(volume, 'ephemeral', 'volumeClaimTemplate');
    if (isRecord(template)) {
      out.push(...claimSpecWarnings(record(template.spec), `${where}.ephemeral.volumeClaimTemplate.spec`));
    }
  }
  for (const volume of volumes) pathWarnings(out, volume);
}
