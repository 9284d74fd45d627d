import { goQuote } from '@apichain/meta';
import { at, isRecord, isSet, type Plain, record, records, text } from '../fields.ts';
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
const volumePathNames: Readonly<Record<string, string>> = { storageos: 'storageOS' };

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

/** One is the other, or a directory above it. */
const overlap = (a: string, b: string): boolean =>
  a !== '' && b !== '' && (`${a}/`.startsWith(`${b}/`) || `${b}/`.startsWith(`${a}/`));

/** Adds what is wrong with further files of a volume, and the files to those before them. */
function overlapWarnings(out: string[], volume: string, before: ShownFile[], files: readonly ShownFile[]): void {
  for (const given of files) {
    const file = { ...given, path: given.path.replace(/(?<!\/)\/+$/, '') };
    for (const other of before) {
      if (overlap(file.path, other.path)) out.push(`${volume}: overlapping paths: ${shown(file)} with ${shown(other)}`);
    }
    before.push(file);
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
  const before: ShownFile[] = [];
  for (const source of records(sources)) {
    if (Object.values(source).every((value) => !isSet(value))) {
      out.push(`${volume} has no sources provided`);
      continue;
    }
    overlapWarnings(out, volume, before, projectedFiles(source));
  }
}

function pathWarnings(out: string[], volume: Plain): void {
  const { configMap, secret, downwardAPI, projected } = volume;
  const at = (kind: string) => `volume ${goQuote(text(volume.name))} (${kind})`;
  const check = (source: unknown, kind: string) => {
    const files = itemFiles(source, '');
    if (files !== undefined) overlapWarnings(out, at(kind), [], files);
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
