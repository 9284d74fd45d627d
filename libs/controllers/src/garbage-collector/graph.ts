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

/** An object, or one that others name as their owner and no watch has shown yet (`virtual`). */
export class GraphNode {
  identity: Identity;
  virtual: boolean;
  resourceVersion = '';
  owners: readonly OwnerReference[] = noOwners;
  finalizers: readonly string[] = [];
  beingDeleted = false;
  /** Being deleted in the foreground: it goes when its blocking dependents are gone. */
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

  /** Whether others must be gone before this one may go. */
  hasBlockingDependents(): boolean {
    for (const { owners } of this.dependents) if (blocks(owners, this.identity.uid)) return true;
    return false;
  }
}

function blocks(owners: readonly OwnerReference[], uid: string): boolean {
  return owners.some((owner) => owner.uid === uid && owner.blockOwnerDeletion === true);
}

/** What the graph asks for as it changes. */
export interface GraphActions {
  /** See whether an object is to be deleted, or may be let go. */
  attemptToDelete(node: GraphNode): void;
  /** The same, but not at once. */
  attemptToDeleteLater(node: GraphNode): void;
  /** Release the dependents of an object that is deleted with the policy Orphan. */
  attemptToOrphan(node: GraphNode): void;
  /** A dependent names an owner that lives in another namespace. */
  invalidNamespace(dependent: GraphNode, owner: OwnerReference): void;
}

/**
 * Who owns whom, by uid, kept from what the watches report. It decides nothing: it asks for whatever may have to be deleted to
 * be looked at.
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

  /** A watch shows an object, for the first time or changed. `before` is its former metadata. */
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

  /** A watch shows that an object is gone. */
  remove(identity: Identity): void {
    const node = this.#nodes.get(identity.uid);
    if (node !== undefined) this.#drop(node, identity);
  }

  /** The server was asked and has no such object. A node that a watch showed elsewhere, or is known by other names too, stays. */
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

  /** From now on it is known for certain where the object is: those who name it wrongly have to be looked at. */
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

  /** An owner may be waiting for a dependent that no longer blocks it. */
  #wakeUnblocked(old: readonly OwnerReference[], owners: readonly OwnerReference[]): void {
    for (const reference of old) {
      if (reference.blockOwnerDeletion !== true) continue;
      if (blocks(owners, reference.uid)) continue;
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
      // It came after its owner's other dependents were told to go.
      if (owner.deletingDependents) this.#actions.attemptToDelete(node);
    }
    if (isDoubtful) this.#actions.attemptToDelete(node);
  }

  /** Whether a reference does not fit the owner known by its uid. */
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

/** Dependents whose reference means exactly this owner, and those whose reference has its uid but means something else. */
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

/** The next identity, in a fixed order that goes round, by which dependents know the owner that was not found as `absent`. */
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
