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
}

export interface Relations {
  readonly owners: readonly Related[];
  readonly owned: readonly Related[];
  readonly references: readonly Related[];
  /** Kinds that could not be searched for owned objects. */
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
    readonly ownerReferences?: readonly OwnerReference[];
  };
  readonly [field: string]: unknown;
}

interface MetadataList {
  readonly items?: readonly StoredObject[];
}

const metadataOnly = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
/** Objects of a kind that are searched for an owner. */
const perKind = 500;
const atOnce = 4;
/** Nodes of one column of the drawing. */
const perColumn = 14;

/** What owns an object, what it owns, and what its fields name. Owned objects are searched among all kinds of its namespace. */
export async function relationsOf(
  kind: Kind,
  kinds: readonly Kind[],
  namespace: string,
  name: string,
): Promise<Relations> {
  const object = await getJson<StoredObject>(pathOf(kind, namespace, name));
  const { owned, problems } = await ownedBy(object.metadata.uid, kinds, namespace);
  const owners = (object.metadata.ownerReferences ?? []).map((owner): Related => {
    const served = kindOf(kinds, owner.apiVersion, owner.kind);
    return related(owner.kind, owner.name, served?.namespaced === false ? '' : namespace, served, 'owner');
  });
  return { owners, owned: owned.slice(0, perColumn), references: referencesOf(object, kinds, namespace), problems };
}

const related = (kind: string, name: string, namespace: string, served: Kind | undefined, by: string): Related => ({
  id: `${kind}/${namespace}/${name}/${by}`,
  ...{ kind, name, namespace, by },
  served,
});

async function ownedBy(
  uid: string,
  kinds: readonly Kind[],
  namespace: string,
): Promise<{ readonly owned: Related[]; readonly problems: string[] }> {
  const searched = kinds.filter(
    (kind) => canList(kind) && (namespace === '' || kind.namespaced) && kind.resource !== 'events',
  );
  const owned: Related[] = [];
  const problems: string[] = [];
  const queue = [...searched];
  const work = async () => {
    for (let kind = queue.shift(); kind !== undefined; kind = queue.shift()) {
      try {
        const list = await getJson<MetadataList>(`${pathOf(kind, namespace)}?limit=${perKind}`, metadataOnly);
        for (const { metadata } of list.items ?? [])
          if (metadata.ownerReferences?.some((owner) => owner.uid === uid) === true)
            owned.push(related(kind.kind, metadata.name, metadata.namespace ?? '', kind, 'owned'));
      } catch (error) {
        problems.push(`${kind.kind} (${groupVersionOf(kind)}): ${messageOf(error)}`);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return { owned: owned.sort((a, b) => (a.id < b.id ? -1 : 1)), problems };
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
