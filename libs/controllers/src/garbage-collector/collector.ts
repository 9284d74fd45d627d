import type { RestClient } from '@apichain/client';
import { type ObjectMeta, type OwnerReference, deepEqual, isStatusError } from '@apichain/meta';
import type { RestMapper } from '@apichain/rest-mapper';
import { forEachLimited } from '../context.ts';
import { type DependencyGraph, type GraphNode, foregroundFinalizer, orphanFinalizer } from './graph.ts';
import { classifyReferences, liveMetadata, refOf } from './references.ts';

type PropagationPolicy = 'Orphan' | 'Foreground' | 'Background';

const conflictRetries = 5;
const orphanedAtOnce = 20;

/** The server has the object, but no watch has reported it yet. The object is retried until a watch reports it. */
export class NotObservedError extends Error {
  constructor() {
    super('item has not been observed via a watch yet');
  }
}

/**
 * Decides about single objects of the graph, and acts on the server. Every write carries the uid and resourceVersion that the decision was
 * based on. The graph may therefore lag behind the server: the server then refuses the write with a conflict, and the object is processed
 * again.
 * Source: https://kubernetes.io/docs/concepts/architecture/garbage-collection/
 */
export class Collector {
  readonly #client: RestClient;
  readonly #mapper: RestMapper;
  readonly #graph: DependencyGraph;

  constructor(client: RestClient, mapper: RestMapper, graph: DependencyGraph) {
    this.#client = client;
    this.#mapper = mapper;
    this.#graph = graph;
  }

  /** Deletes an object that has no remaining owner, or removes the foreground finalizer of an owner that waited for its dependents. */
  async attemptToDelete(uid: string): Promise<void> {
    const node = this.#graph.get(uid);
    if (node === undefined || (node.beingDeleted && !node.deletingDependents)) return;
    if (node.virtual) await this.#lookForOwner(node);
    else if (node.deletingDependents) await this.#letGo(node);
    else if (node.owners.length > 0) await this.#deleteUnlessOwned(node);
  }

  /** Removes the owner references to an owner that is deleted with the policy Orphan, then removes the owner's finalizer. */
  async orphanDependents(uid: string): Promise<void> {
    const node = this.#graph.get(uid);
    if (node === undefined) return;
    await forEachLimited([...node.dependents], orphanedAtOnce, (dependent) => this.#release(dependent, uid));
    await this.#removeFinalizer(node, orphanFinalizer);
  }

  async #lookForOwner(node: GraphNode): Promise<void> {
    const { identity } = node;
    if ((await this.#live(node)) === undefined) this.#graph.confirmAbsent(identity);
    else throw new NotObservedError();
  }

  /** The dependents are in the queue too. Each deletion of a dependent queues this owner again. */
  async #letGo(node: GraphNode): Promise<void> {
    if (!node.hasBlockingDependents()) await this.#removeFinalizer(node, foregroundFinalizer);
  }

  async #deleteUnlessOwned(node: GraphNode): Promise<void> {
    const { solid, dangling, waiting } = await classifyReferences(this.#client, this.#mapper, this.#graph, node);
    if (solid.length > 0) {
      // References to owners that wait for their dependents are removed too. Otherwise these owners would wait forever.
      if (dangling.length + waiting.length > 0) await this.#patchOwners(node, solid);
    } else if (waiting.length > 0 && node.dependents.size > 0) {
      await this.#breakCycle(node);
      await this.#delete(node, 'Foreground');
    } else await this.#delete(node, policyOf(node.finalizers));
  }

  /** Unblocks a cycle of owners: an owner that waits for a dependent which waits for that owner would never be deleted. */
  async #breakCycle(node: GraphNode): Promise<void> {
    if (![...node.dependents].some(({ deletingDependents }) => deletingDependents)) return;
    const blocked = node.owners.some(({ blockOwnerDeletion }) => blockOwnerDeletion === true);
    if (!blocked) return;
    await this.#patchOwners(
      node,
      node.owners.map((owner) => (owner.blockOwnerDeletion === true ? { ...owner, blockOwnerDeletion: false } : owner)),
    );
  }

  async #delete(node: GraphNode, propagationPolicy: PropagationPolicy): Promise<void> {
    const { uid } = node.identity;
    const { owners, resourceVersion } = node;
    const attempt = (preconditions: Record<string, string>) =>
      this.#client.delete(this.#ref(node), node.identity.name, { propagationPolicy, preconditions });
    try {
      await attempt({ uid, resourceVersion });
    } catch (error) {
      if (isNotFound(error)) this.#graph.confirmAbsent(node.identity);
      else if (!isStatusError(error, 'Conflict')) throw error;
      else {
        const live = await this.#live(node);
        if (live === undefined) return this.#graph.confirmAbsent(node.identity);
        // Another part of the object has changed meanwhile. The decision is still valid as long as the owner references are the same.
        if (!deepEqual(live.ownerReferences ?? [], owners)) throw error;
        await attempt({ uid }).catch(ignoreNotFound);
      }
    }
  }

  /** Removes the references to one owner from a dependent. */
  async #release(dependent: GraphNode, ownerUid: string): Promise<void> {
    const without = (owners: readonly OwnerReference[]) => owners.filter(({ uid }) => uid !== ownerUid);
    try {
      await this.#patchOwners(dependent, without(dependent.owners));
    } catch (error) {
      if (!isStatusError(error, 'Conflict')) throw error;
      await this.#retryOnConflict(dependent, async (live) => {
        const { resourceVersion, ownerReferences = [] } = live;
        const owners = without(ownerReferences);
        if (owners.length !== ownerReferences.length)
          await this.#patch(dependent, { resourceVersion, ownerReferences: owners });
      });
    }
  }

  async #removeFinalizer(node: GraphNode, finalizer: string): Promise<void> {
    await this.#retryOnConflict(node, async ({ resourceVersion, finalizers = [] }) => {
      const others = finalizers.filter((each) => each !== finalizer);
      if (others.length !== finalizers.length) await this.#patch(node, { resourceVersion, finalizers: others });
    });
  }

  /** Calls `write` with the current metadata of the object, and retries with fresh metadata on a conflict. */
  async #retryOnConflict(node: GraphNode, write: (live: ObjectMeta) => Promise<void>): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const live = await this.#live(node);
      if (live === undefined) return;
      try {
        return await write(live);
      } catch (error) {
        if (!isStatusError(error, 'Conflict') || attempt === conflictRetries) throw error;
      }
    }
  }

  async #patchOwners(node: GraphNode, ownerReferences: readonly OwnerReference[]): Promise<void> {
    await this.#patch(node, { resourceVersion: node.resourceVersion, ownerReferences });
  }

  async #patch(node: GraphNode, metadata: Readonly<Record<string, unknown>>): Promise<void> {
    const { uid, name } = node.identity;
    const patch = { metadata: { uid, ...metadata } };
    await this.#client.patch(this.#ref(node), name, 'merge', patch).catch(ignoreNotFound);
  }

  #live(node: GraphNode): Promise<ObjectMeta | undefined> {
    return liveMetadata(this.#client, this.#mapper, node.identity);
  }

  #ref(node: GraphNode) {
    return refOf(this.#mapper, node.identity);
  }
}

/** A finalizer of an earlier deletion request selects the policy. */
function policyOf(finalizers: readonly string[]): PropagationPolicy {
  if (finalizers.includes(orphanFinalizer)) return 'Orphan';
  return finalizers.includes(foregroundFinalizer) ? 'Foreground' : 'Background';
}

function isNotFound(error: unknown): boolean {
  return isStatusError(error) && error.code === 404;
}

function ignoreNotFound(error: unknown): void {
  if (!isNotFound(error)) throw error;
}
