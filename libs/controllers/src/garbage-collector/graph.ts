import { type ObjectMeta, type OwnerReference, deepEqual } from '@apichain/meta';
import {
  AbsentOwners,
  type Identity,
  compareIdentities,
  ownerIdentity,
  sameCoordinates,
  sameIdentity,
} from './identity.ts';

export const foregroundFinalizer = 'foregroundDeletion';
export const orphanFinalizer = 'orphan';

const noOwners: readonly OwnerReference[] = [];
const noDependents: ReadonlySet<GraphNode> = new Set();

/** An object of the cluster. A node is `virtual` when an owner reference names the object and no watch has reported it yet. */
export class GraphNode {
  identity: Identity;
  virtual: boolean;
  resourceVersion = '';
  owners: readonly OwnerReference[] = noOwners;
  finalizers: readonly string[] = [];
  beingDeleted = false;
  /** The object is being deleted with the policy Foreground. Its finalizer is removed when its blocking dependents are gone. */
  deletingDependents = false;
  #dependents: Set<GraphNode> | undefined;

  constructor(identity: Identity, virtual: boolean) {
    this.identity = identity;
    this.virtual = virtual;
  }

  get dependents(): ReadonlySet<GraphNode> {
    return this.#dependents ?? noDependents;
  }

  addDependent(node: GraphNode): void {
    (this.#dependents ??= new Set()).add(node);
  }

  removeDependent(node: GraphNode): void {
    this.#dependents?.delete(node);
  }

  /** Whether the object has dependents that block its deletion. */
  hasBlockingDependents(): boolean {
    for (const { owners } of this.dependents) if (blocks(owners, this.identity.uid)) return true;
    return false;
  }
}

function blocks(owners: readonly OwnerReference[], uid: string): boolean {
  return owners.some((owner) => owner.uid === uid && owner.blockOwnerDeletion === true);
}

/** The work that the graph requests as it changes. */
interface GraphActions {
  /** Check whether an object must be deleted, or whether its finalizer can be removed. */
  attemptToDelete(node: GraphNode): void;
  /** The same, with a delay. */
  attemptToDeleteLater(node: GraphNode): void;
  /** Remove the owner references to an object that is deleted with the policy Orphan. */
  attemptToOrphan(node: GraphNode): void;
  /** A dependent references an owner in another namespace. */
  invalidNamespace(dependent: GraphNode, owner: OwnerReference): void;
}

/**
 * The owners and dependents of all objects, by uid, built from watch events. The graph makes no decisions: it queues every object that may
 * have to be deleted.
 * Source: https://kubernetes.io/docs/concepts/architecture/garbage-collection/
 */
export class DependencyGraph {
  readonly absentOwners = new AbsentOwners();
  readonly #nodes = new Map<string, GraphNode>();
  readonly #actions: GraphActions;

  constructor(actions: GraphActions) {
    this.#actions = actions;
  }

  get(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid);
  }

  get size(): number {
    return this.#nodes.size;
  }

  /** Adds or updates an object that a watch has reported. `before` is its previous metadata. */
  observe(identity: Identity, metadata: ObjectMeta, before?: ObjectMeta): void {
    const owners = metadata.ownerReferences ?? noOwners;
    let node = this.#nodes.get(identity.uid);
    if (node === undefined) {
      node = new GraphNode(identity, false);
      node.owners = owners;
      this.#nodes.set(identity.uid, node);
      this.#addToOwners(node, owners);
    } else {
      this.#identify(node, identity);
      this.#changeOwners(node, owners);
    }
    node.resourceVersion = metadata.resourceVersion ?? '';
    node.finalizers = metadata.finalizers ?? [];
    if (metadata.deletionTimestamp !== undefined) node.beingDeleted = true;
    this.#startDeletion(node, metadata, before);
  }

  /** Removes an object after its watch reported the deletion. */
  remove(identity: Identity): void {
    const node = this.#nodes.get(identity.uid);
    if (node !== undefined) this.#drop(node, identity);
  }

  /**
   * Handles a response that says that an object does not exist. A node is kept when a watch reported it elsewhere, or when dependents
   * reference it by other coordinates too.
   */
  confirmAbsent(identity: Identity): void {
    const node = this.#nodes.get(identity.uid);
    if (node === undefined) return;
    const { matching, others } = partition(node.dependents, identity);
    if (node.virtual ? others.length === 0 : sameIdentity(node.identity, identity)) {
      this.#drop(node, identity);
      return;
    }
    if (matching.length > 0) this.absentOwners.add(identity);
    for (const dependent of matching) this.#actions.attemptToDelete(dependent);
    if (!node.virtual || !sameIdentity(node.identity, identity)) return;
    const alternative = otherIdentity(others, identity);
    if (alternative === undefined) return;
    node.identity = alternative;
    this.#actions.attemptToDeleteLater(node);
  }

  /** Records the observed identity of an object. Dependents that reference it by other coordinates are queued. */
  #identify(node: GraphNode, identity: Identity): void {
    if (node.virtual && !sameIdentity(node.identity, identity)) {
      for (const dependent of partition(node.dependents, identity).others) {
        if (identity.namespace !== '' && dependent.identity.namespace !== identity.namespace)
          this.#reportNamespace(dependent, identity.uid);
        this.#actions.attemptToDelete(dependent);
      }
    }
    node.identity = identity;
    node.virtual = false;
  }

  #changeOwners(node: GraphNode, owners: readonly OwnerReference[]): void {
    const old = node.owners;
    if (old === owners || deepEqual(old, owners)) return;
    const uids = new Set(owners.map(({ uid }) => uid));
    const oldUids = new Set(old.map(({ uid }) => uid));
    this.#wakeUnblocked(old, owners);
    node.owners = owners;
    this.#addToOwners(
      node,
      owners.filter(({ uid }) => !oldUids.has(uid)),
    );
    for (const { uid } of old) if (!uids.has(uid)) this.#nodes.get(uid)?.removeDependent(node);
  }

  /** Queues the owners that may be waiting for a dependent which no longer blocks them. */
  #wakeUnblocked(old: readonly OwnerReference[], owners: readonly OwnerReference[]): void {
    const blocked = new Set(
      owners.filter(({ blockOwnerDeletion }) => blockOwnerDeletion === true).map(({ uid }) => uid),
    );
    for (const reference of old) {
      if (reference.blockOwnerDeletion !== true || blocked.has(reference.uid)) continue;
      const owner = this.#nodes.get(reference.uid);
      if (owner !== undefined) this.#actions.attemptToDelete(owner);
    }
  }

  #addToOwners(node: GraphNode, owners: readonly OwnerReference[]): void {
    let isDoubtful = false;
    for (const reference of owners) {
      let owner = this.#nodes.get(reference.uid);
      if (owner === undefined) {
        owner = new GraphNode(ownerIdentity(reference, node.identity.namespace), true);
        this.#nodes.set(reference.uid, owner);
        this.#actions.attemptToDelete(owner);
      } else if (!isDoubtful) isDoubtful = this.#isDoubtful(node, reference, owner);
      owner.addDependent(node);
      // The dependent was added after its owner's other dependents were queued for deletion.
      if (owner.deletingDependents) this.#actions.attemptToDelete(node);
    }
    if (isDoubtful) this.#actions.attemptToDelete(node);
  }

  /** Whether a reference does not match the known owner with its uid. */
  #isDoubtful(node: GraphNode, reference: OwnerReference, owner: GraphNode): boolean {
    const isElsewhere = owner.identity.namespace !== node.identity.namespace;
    if (owner.identity.namespace !== '' && isElsewhere) {
      if (!owner.virtual) this.#reportNamespace(node, reference.uid);
      return true;
    }
    return !sameCoordinates(reference, owner.identity) || (isElsewhere && owner.virtual);
  }

  #reportNamespace(dependent: GraphNode, uid: string): void {
    const reference = dependent.owners.find((owner) => owner.uid === uid);
    if (reference !== undefined) this.#actions.invalidNamespace(dependent, reference);
  }

  #startDeletion(node: GraphNode, metadata: ObjectMeta, before: ObjectMeta | undefined): void {
    if (startsWaiting(orphanFinalizer, metadata, before)) this.#actions.attemptToOrphan(node);
    else if (startsWaiting(foregroundFinalizer, metadata, before)) {
      node.deletingDependents = true;
      for (const dependent of node.dependents) this.#actions.attemptToDelete(dependent);
      this.#actions.attemptToDelete(node);
    }
  }

  #drop(node: GraphNode, identity: Identity): void {
    this.#nodes.delete(node.identity.uid);
    for (const { uid } of node.owners) this.#nodes.get(uid)?.removeDependent(node);
    if (node.dependents.size > 0) this.absentOwners.add(identity);
    for (const dependent of node.dependents) this.#actions.attemptToDelete(dependent);
    for (const { uid } of node.owners) {
      const owner = this.#nodes.get(uid);
      if (owner?.deletingDependents === true) this.#actions.attemptToDelete(owner);
    }
  }
}

function startsWaiting(finalizer: string, metadata: ObjectMeta, before: ObjectMeta | undefined): boolean {
  return isWaiting(finalizer, metadata) && (before === undefined || !isWaiting(finalizer, before));
}

function isWaiting(finalizer: string, { deletionTimestamp, finalizers }: ObjectMeta): boolean {
  return deletionTimestamp !== undefined && finalizers?.includes(finalizer) === true;
}

/** Dependents whose reference matches this owner exactly, and dependents whose reference has its uid but other coordinates. */
function partition(
  dependents: Iterable<GraphNode>,
  owner: Identity,
): { readonly matching: GraphNode[]; readonly others: GraphNode[] } {
  const matching: GraphNode[] = [];
  const others: GraphNode[] = [];
  for (const dependent of dependents) {
    const isElsewhere = owner.namespace !== '' && owner.namespace !== dependent.identity.namespace;
    const references = dependent.owners.filter(({ uid }) => uid === owner.uid);
    if (!isElsewhere && references.some((reference) => sameCoordinates(reference, owner))) matching.push(dependent);
    if (isElsewhere || references.some((reference) => !sameCoordinates(reference, owner))) others.push(dependent);
  }
  return { matching, others };
}

/** The next identity by which dependents reference the owner that was not found as `absent`. Identities have a fixed, cyclic order. */
function otherIdentity(dependents: readonly GraphNode[], absent: Identity): Identity | undefined {
  const isClusterScoped = absent.namespace === '';
  const candidates = dependents
    .flatMap(({ owners, identity }) =>
      owners.filter(({ uid }) => uid === absent.uid).map((reference) => ownerIdentity(reference, identity.namespace)),
    )
    .map((candidate) =>
      isClusterScoped && candidate.kind === absent.kind && candidate.apiVersion === absent.apiVersion
        ? { ...candidate, namespace: '' }
        : candidate,
    )
    .filter((candidate) => !sameIdentity(candidate, absent))
    .sort(compareIdentities);
  return candidates.find((candidate) => compareIdentities(candidate, absent) > 0) ?? candidates[0];
}
