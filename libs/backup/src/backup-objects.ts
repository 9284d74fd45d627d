import { storedObject } from '@apichain/kinds/model';
import { errorMessage, isRecord, isSet, parseJson, text, type KubeObject } from '@apichain/meta';
import { decodeCbor, looksLikeCbor } from '@apichain/scheme';
import { readBetaCrd } from '@apichain/server-apiextensions/stored-crds';
import { encryptionOf } from '@apichain/storage';
import { type EncryptionTransformers } from '@apichain/storage-encryption';
import { crdDirectory, StoredResources, type StoredPlace } from './stored-resources.ts';
import { UnservedCounts, type UnservedObjects } from './unserved-objects.ts';

/** A stored value that cannot be decrypted or decoded. The message says why, without anything of the value. */
export class UnreadableError extends Error {
  override readonly name = 'UnreadableError';
}

/** A value of etcd under its key. Values are not changed. */
export interface StoredValue {
  readonly key: Buffer;
  readonly value: Buffer;
  readonly modRevision: number;
}

/** A stored object that has not been decoded. */
export interface StoredEntry {
  readonly place: StoredPlace;
  readonly stored: StoredValue;
}

/** How values are found and decrypted. */
interface BackupOptions {
  /** The prefix of all keys of the API servers. Default: `/registry`. */
  readonly prefix?: string;
  readonly encryption?: EncryptionTransformers;
}

const defaultPrefix = '/registry';

/** Decrypts a value. Throws UnreadableError. */
async function plainOf(
  { place, stored }: StoredEntry,
  encryption: EncryptionTransformers | undefined,
): Promise<Buffer> {
  const how = encryptionOf(stored.value);
  if (how === undefined) return stored.value;
  if (encryption === undefined)
    throw new UnreadableError(`it is encrypted at rest (${how}): use the --encryption-provider-config of its cluster`);
  try {
    return (await encryption.transformerFor(place.resource).fromStorage(stored.value, stored.key)).plain;
  } catch (error) {
    throw new UnreadableError(`it is encrypted at rest (${how}) and cannot be decrypted: ${errorMessage(error)}`);
  }
}

/** Throws UnreadableError. */
async function decoded(entry: StoredEntry, encryption: EncryptionTransformers | undefined): Promise<KubeObject> {
  const plain = await plainOf(entry, encryption);
  const { resource } = entry.place;
  try {
    return resource.custom ? customObject(plain) : (readBetaCrd(plain) ?? storedObject(plain, resource));
  } catch (error) {
    throw new UnreadableError(`it cannot be decoded: ${errorMessage(error)}`);
  }
}

function customObject(plain: Buffer): KubeObject {
  const object = looksLikeCbor(plain) ? decodeCbor(plain) : parseJson(plain);
  if (isRecord(object) && isRecord(object.metadata)) return object as KubeObject;
  throw new Error('it is no object with metadata');
}

/** The objects of a store that no server serves, e.g. of a backup. They are decoded one at a time, when they are asked for. */
export class BackupObjects {
  readonly resources: StoredResources;
  /** What the store has beside them, the most frequent first. */
  readonly unserved: readonly UnservedObjects[];
  readonly #entries: ReadonlyMap<string, StoredEntry>;
  readonly #encryption: EncryptionTransformers | undefined;

  private constructor(
    resources: StoredResources,
    entries: ReadonlyMap<string, StoredEntry>,
    unserved: readonly UnservedObjects[],
    encryption: EncryptionTransformers | undefined,
  ) {
    this.resources = resources;
    this.unserved = unserved;
    this.#entries = entries;
    this.#encryption = encryption;
  }

  /** Finds the objects among the values of a store. Its CustomResourceDefinitions are decoded at once; one that cannot be read defines nothing. */
  static async of(values: Iterable<StoredValue>, options: BackupOptions = {}): Promise<BackupObjects> {
    const { prefix = defaultPrefix, encryption } = options;
    const inPrefix = new Map<string, StoredValue>();
    for (const stored of values) {
      const key = stored.key.toString('utf8');
      if (key.startsWith(`${prefix}/`)) inPrefix.set(key.slice(prefix.length), stored);
    }
    const builtin = new StoredResources([]);
    const crds: KubeObject[] = [];
    for (const [key, stored] of inPrefix) {
      const place = key.startsWith(crdDirectory) ? builtin.placeOf(key) : undefined;
      const crd = place === undefined ? undefined : await readable({ place, stored }, encryption);
      if (crd !== undefined) crds.push(crd);
    }
    const resources = new StoredResources(crds);
    const entries = new Map<string, StoredEntry>();
    const unserved = new UnservedCounts();
    for (const [key, stored] of inPrefix) {
      const place = resources.placeOf(key);
      if (place !== undefined) entries.set(key, { place, stored });
      else unserved.add(key, stored.value);
    }
    return new BackupObjects(resources, entries, unserved.all(), encryption);
  }

  /** The objects by their keys below the prefix. */
  get entries(): ReadonlyMap<string, StoredEntry> {
    return this.#entries;
  }

  /** The group-versions of APIServices of extension API servers, which a backup has no objects of: `metrics.k8s.io/v1beta1`. */
  async ofExtensionServers(): Promise<string[]> {
    const found: string[] = [];
    for (const entry of this.#entries.values()) {
      if (entry.place.resource.kind !== 'APIService' || entry.place.resource.custom) continue;
      const spec = (await readable(entry, this.#encryption))?.spec;
      if (isRecord(spec) && isSet(spec.service)) found.push(`${text(spec.group)}/${text(spec.version)}`);
    }
    return found.sort();
  }

  /** An object in the version in which it is stored. Throws UnreadableError. */
  object(entry: StoredEntry): Promise<KubeObject> {
    return decoded(entry, this.#encryption);
  }
}

async function readable(
  entry: StoredEntry,
  encryption: EncryptionTransformers | undefined,
): Promise<KubeObject | undefined> {
  try {
    return await decoded(entry, encryption);
  } catch (error) {
    if (error instanceof UnreadableError) return undefined;
    throw error;
  }
}
