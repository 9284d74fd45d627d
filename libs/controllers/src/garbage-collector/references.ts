import type { RestClient, ResourceReference } from '@apichain/client';
import { type ObjectMeta, type OwnerReference, isStatusError, parseGroupVersion } from '@apichain/meta';
import type { RestMapper, RestMapping } from '@apichain/rest-mapper';
import { type DependencyGraph, type GraphNode, foregroundFinalizer } from './graph.ts';
import { type Identity, ownerIdentity, sameIdentity } from './identity.ts';

/** A cluster-scoped object references an owner of a namespaced kind. A retry cannot fix this. */
export class NamespacedOwnerError extends Error {
  constructor() {
    super('cluster-scoped objects cannot refer to namespaced owners');
  }
}

interface ClassifiedReferences {
  /** The owner exists and is not waiting for its dependents. */
  readonly solid: OwnerReference[];
  /** The owner does not exist. */
  readonly dangling: OwnerReference[];
  /** The owner exists and waits for its dependents to be deleted. */
  readonly waiting: OwnerReference[];
}

/** The current metadata of an object on the server. Undefined when the object does not exist, or when an object with another uid has its name. */
export async function liveMetadata(
  client: RestClient,
  mapper: RestMapper,
  identity: Identity,
): Promise<ObjectMeta | undefined> {
  const ref = refOf(mapper, identity);
  try {
    const { metadata } = await client.get(ref, identity.name, undefined, { metadataOnly: true });
    return metadata.uid === identity.uid ? metadata : undefined;
  } catch (error) {
    if (isStatusError(error) && error.code === 404) return undefined;
    throw error;
  }
}

/**
 * Sorts a dependent's owner references by the state of the owners. Requests the owner from the server where the graph is not sufficient.
 * Throws NamespacedOwnerError, NoKindMatchError, StatusError.
 */
export async function classifyReferences(
  client: RestClient,
  mapper: RestMapper,
  graph: DependencyGraph,
  node: GraphNode,
): Promise<ClassifiedReferences> {
  const classified: ClassifiedReferences = { solid: [], dangling: [], waiting: [] };
  for (const reference of node.owners)
    classified[await classify(client, mapper, graph, node, reference)].push(reference);
  return classified;
}

async function classify(
  client: RestClient,
  mapper: RestMapper,
  graph: DependencyGraph,
  node: GraphNode,
  reference: OwnerReference,
): Promise<keyof ClassifiedReferences> {
  const { namespace } = node.identity;
  if (graph.absentOwners.has(reference, namespace)) return 'dangling';
  const namespaced = resourceOf(mapper, reference).scope === 'Namespaced';
  if (namespaced && namespace === '') throw new NamespacedOwnerError();
  const identity = ownerIdentity(reference, namespaced ? namespace : '');
  // The deletion of an owner that waits for its dependents cannot be undone, so the watched state needs no check on the server.
  const known = graph.get(reference.uid);
  if (known !== undefined && known.deletingDependents && sameIdentity(known.identity, identity)) return 'waiting';
  const owner = await liveMetadata(client, mapper, identity);
  if (owner === undefined) {
    graph.absentOwners.add(identity);
    return 'dangling';
  }
  const isWaiting = owner.deletionTimestamp !== undefined && owner.finalizers?.includes(foregroundFinalizer) === true;
  return isWaiting ? 'waiting' : 'solid';
}

/** The resource that serves a kind. Throws NoKindMatchError when the kind is not served; it may be served later. */
function resourceOf(
  mapper: RestMapper,
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
): RestMapping {
  const { group, version } = parseGroupVersion(apiVersion);
  return mapper.mappingFor({ group, kind }, version);
}

/** The resource and namespace of an object. Throws NoKindMatchError. */
export function refOf(mapper: RestMapper, identity: Identity): ResourceReference {
  const resource = resourceOf(mapper, identity);
  return resource.scope === 'Namespaced' ? { ...resource, namespace: identity.namespace } : resource;
}
