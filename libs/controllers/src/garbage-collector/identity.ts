import { BoundedCache, type OwnerReference } from '@apichain/meta';

/** Identifies an object. `namespace` is empty for cluster-scoped objects. */
export interface Identity {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly namespace: string;
}

type Coordinates = Pick<OwnerReference, 'apiVersion' | 'kind' | 'name' | 'uid'>;

/** Whether an owner reference identifies this object, without regard to the namespace. */
export function sameCoordinates(a: Coordinates, b: Coordinates): boolean {
  return a.uid === b.uid && a.name === b.name && a.kind === b.kind && a.apiVersion === b.apiVersion;
}

export function sameIdentity(a: Identity, b: Identity): boolean {
  return a.namespace === b.namespace && sameCoordinates(a, b);
}

/** The identity as events and logs show it. */
export function formatIdentity({ apiVersion, kind, namespace, name, uid }: Identity): string {
  return `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;
}

/** The owner that a reference of a dependent in `namespace` identifies. */
export function ownerIdentity({ apiVersion, kind, name, uid }: OwnerReference, namespace: string): Identity {
  return { apiVersion, kind, name, uid, namespace };
}

/** Compares identities so that sorting groups them by kind. */
export function compareIdentities(a: Identity, b: Identity): number {
  for (const field of ['kind', 'apiVersion', 'namespace', 'name', 'uid'] as const)
    if (a[field] !== b[field]) return a[field] < b[field] ? -1 : 1;
  return 0;
}

/** The last owners that were found not to exist. Their dependents need no further requests. */
export class AbsentOwners {
  readonly #keys: BoundedCache<true>;

  constructor(capacity = 500) {
    this.#keys = new BoundedCache({ maxEntries: capacity });
  }

  add(identity: Identity): void {
    const key = absentKey(identity, identity.namespace);
    this.#keys.set(key, true);
  }

  /** Whether the owner in a reference of a dependent in `namespace` is known not to exist. */
  has(reference: Coordinates, namespace: string): boolean {
    return this.#keys.has(absentKey(reference, '')) || this.#keys.has(absentKey(reference, namespace));
  }
}

function absentKey({ apiVersion, kind, name, uid }: Coordinates, namespace: string): string {
  return `${uid}|${namespace}|${name}|${kind}|${apiVersion}`;
}
