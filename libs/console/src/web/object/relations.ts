import { getJson, messageOf } from '../api/api.ts';
import { canList, groupVersionOf, kindOf, pathOf, type Kind } from '../api/kinds.ts';

/** An object in the graph, or one that a field names and that was not looked up. */
export interface Related {
  readonly id: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
  /** Where it can be opened; undefined when the API does not serve its kind. */
  readonly served?: Kind;
  /** `owner`, `owned`, or the field that refers to it. */
  readonly by: string;
  /** The id of the object to which it is drawn; undefined for the one that the drawing is about. */
  readonly to?: string | undefined;
}

export interface Relations {
  /** The owners, their owners, and so on. */
  readonly owners: readonly (readonly Related[])[];
  /** What it owns, what that owns, and so on. */
  readonly owned: readonly (readonly Related[])[];
  readonly references: readonly Related[];
  /** What could not be searched, or is left out. */
  readonly problems: readonly string[];
}

interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

interface StoredObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly ownerReferences?: readonly OwnerReference[] | undefined;
  };
  readonly [field: string]: unknown;
}

interface MetadataList {
  readonly metadata?: { readonly continue?: string };
  readonly items?: readonly StoredObject[];
}

/** An object of a list, with its kind. */
interface Listed {
  readonly kind: Kind;
  readonly metadata: StoredObject['metadata'];
}

const metadataOnly = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
const metadataList = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
/** Objects of a kind that are searched for an owner. */
const perKind = 2000;
/** Steps from owner to owned: a chain that is longer is broken off. */
const maxLevels = 6;
const atOnce = 4;
/** Nodes of one column of the drawing. */
const perColumn = 14;

/**
 * What owns an object, what it owns, as far as that goes, and what its fields name. Owned objects are searched among all kinds of its namespace; of an
 * object of the cluster, among all kinds.
 */
export async function relationsOf(
  kind: Kind,
  kinds: readonly Kind[],
  namespace: string,
  name: string,
): Promise<Relations> {
  const object = await getJson<StoredObject>(pathOf(kind, namespace, name));
  const problems: string[] = [];
  const [owners, listed] = await Promise.all([
    ownersOf(object.metadata, kinds, namespace, problems),
    listAll(kinds, namespace, problems),
  ]);
  const owned = ownedBy(object.metadata.uid, listed, problems);
  return { owners, owned, references: referencesOf(object, kinds, namespace), problems };
}

const related = (
  kind: string,
  name: string,
  namespace: string,
  served: Kind | undefined,
  by: string,
  to?: string,
): Related => ({ id: `${kind}/${namespace}/${name}/${by}`, ...{ kind, name, namespace, by, served, to } });

/** The owners by levels. Each is read for its own owners; one that cannot be read ends its branch. */
async function ownersOf(
  metadata: StoredObject['metadata'],
  kinds: readonly Kind[],
  namespace: string,
  problems: string[],
): Promise<readonly (readonly Related[])[]> {
  const levels: Related[][] = [];
  const seen = new Set([metadata.uid]);
  let below: readonly { readonly id?: string; readonly metadata: StoredObject['metadata'] }[] = [{ metadata }];
  while (below.length > 0 && levels.length < maxLevels) {
    const level: Related[] = [];
    const found: { readonly id: string; readonly metadata: StoredObject['metadata'] }[] = [];
    for (const { id, metadata: owned } of below)
      for (const owner of owned.ownerReferences ?? []) {
        if (seen.has(owner.uid)) continue;
        seen.add(owner.uid);
        const served = kindOf(kinds, owner.apiVersion, owner.kind);
        const scope = served?.namespaced === false ? '' : namespace;
        const shown = related(owner.kind, owner.name, scope, served, 'owner', id);
        level.push(shown);
        if (served === undefined) continue;
        await getJson<StoredObject>(pathOf(served, scope, owner.name), metadataOnly).then(
          (read) => found.push({ id: shown.id, metadata: read.metadata }),
          (error: unknown) => problems.push(`${owner.kind} ${owner.name}: ${messageOf(error)}`),
        );
      }
    if (level.length > 0) levels.push(level.slice(0, perColumn));
    below = found;
  }
  return levels;
}

async function listAll(kinds: readonly Kind[], namespace: string, problems: string[]): Promise<readonly Listed[]> {
  const listed: Listed[] = [];
  const queue = kinds.filter(
    (kind) => canList(kind) && (namespace === '' || kind.namespaced) && kind.resource !== 'events',
  );
  const work = async () => {
    for (let kind = queue.shift(); kind !== undefined; kind = queue.shift()) {
      const of = kind;
      const title = `${of.kind} (${groupVersionOf(of)})`;
      try {
        const list = await getJson<MetadataList>(`${pathOf(of, namespace)}?limit=${perKind}`, metadataList);
        for (const { metadata } of list.items ?? []) listed.push({ kind: of, metadata });
        if ((list.metadata?.continue ?? '') !== '') problems.push(`${title}: only the first ${perKind} were searched`);
      } catch (error) {
        problems.push(`${title}: ${messageOf(error)}`);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return listed;
}

/** What an object owns, by levels. */
export function ownedBy(uid: string, listed: readonly Listed[], problems: string[]): readonly (readonly Related[])[] {
  const byOwner = new Map<string, Listed[]>();
  for (const one of listed)
    for (const owner of one.metadata.ownerReferences ?? []) {
      const others = byOwner.get(owner.uid);
      if (others === undefined) byOwner.set(owner.uid, [one]);
      else others.push(one);
    }
  const levels: Related[][] = [];
  const seen = new Set([uid]);
  let owners: readonly { readonly uid: string; readonly id?: string }[] = [{ uid }];
  while (owners.length > 0 && levels.length < maxLevels) {
    const level: Related[] = [];
    const next: { readonly uid: string; readonly id: string }[] = [];
    for (const owner of owners)
      for (const { kind, metadata } of byOwner.get(owner.uid) ?? []) {
        if (seen.has(metadata.uid)) continue;
        seen.add(metadata.uid);
        const shown = related(kind.kind, metadata.name, metadata.namespace ?? '', kind, 'owned', owner.id);
        level.push(shown);
        next.push({ uid: metadata.uid, id: shown.id });
      }
    if (level.length > perColumn) problems.push(`${level.length - perColumn} more objects are owned and not drawn`);
    if (level.length > 0) levels.push(level.slice(0, perColumn));
    const drawn = new Set(level.slice(0, perColumn).map(({ id }) => id));
    owners = next.filter(({ id }) => drawn.has(id));
  }
  return levels;
}

/** Fields whose value is the name of an object in the same namespace, by the name of the field. */
const namingFields: Readonly<Record<string, string>> = {
  serviceAccountName: 'ServiceAccount',
  secretName: 'Secret',
  claimName: 'PersistentVolumeClaim',
  storageClassName: 'StorageClass',
  ingressClassName: 'IngressClass',
  priorityClassName: 'PriorityClass',
  runtimeClassName: 'RuntimeClass',
  nodeName: 'Node',
  volumeName: 'PersistentVolume',
  serviceName: 'Service',
};

/** Fields with an object that has the name. */
const namingObjects: Readonly<Record<string, string>> = {
  configMap: 'ConfigMap',
  configMapRef: 'ConfigMap',
  configMapKeyRef: 'ConfigMap',
  secretRef: 'Secret',
  secretKeyRef: 'Secret',
  imagePullSecrets: 'Secret',
  service: 'Service',
};

/** A document may be deep and long; a drawing shows the first names. */
const maxDepth = 16;

function referencesOf(object: StoredObject, kinds: readonly Kind[], namespace: string): Related[] {
  const found = new Map<string, Related>();
  const add = (kind: string, name: unknown, at: string, given?: { apiVersion?: string; namespace?: string }) => {
    if (typeof name !== 'string' || name === '' || found.size >= perColumn) return;
    const served =
      given?.apiVersion === undefined
        ? kinds.find((known) => known.kind === kind)
        : kindOf(kinds, given.apiVersion, kind);
    const scope = served?.namespaced === false ? '' : (given?.namespace ?? namespace);
    const reference = related(kind, name, scope, served, at);
    const key = `${kind}/${scope}/${name}`;
    if (!found.has(key)) found.set(key, reference);
  };
  const visit = (value: unknown, field: string, depth: number): void => {
    if (depth > maxDepth || typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) {
      for (const item of value) visit(item, field, depth + 1);
      return;
    }
    const fields = value as Readonly<Record<string, unknown>>;
    const { kind, name, apiVersion, apiGroup, namespace: of } = fields;
    const known = namingObjects[field];
    if (typeof kind === 'string' && depth > 0) {
      const group = typeof apiGroup === 'string' && apiGroup !== '' ? `${apiGroup}/v1` : apiVersion;
      add(kind, name, field, {
        ...(typeof group === 'string' ? { apiVersion: group } : {}),
        ...(typeof of === 'string' ? { namespace: of } : {}),
      });
    } else if (known !== undefined) add(known, name, field, typeof of === 'string' ? { namespace: of } : {});
    for (const [key, below] of Object.entries(fields)) {
      const naming = namingFields[key];
      if (naming !== undefined) add(naming, below, key);
      visit(below, key, depth + 1);
    }
  };
  for (const [key, value] of Object.entries(object)) if (key !== 'metadata' && key !== 'status') visit(value, key, 1);
  return [...found.values()];
}
