import {
  controllerOf,
  controllerReference,
  type ControllerKind,
  type ResourceReference,
  type RestClient,
} from '@apichain/client';
import { type KubeObject, type LabelSelector, errorMessage, isStatusError } from '@apichain/meta';

/** What an owner does with an object: it has it already, takes it, gives it up, or leaves it to others. */
export type Claim = 'own' | 'adopt' | 'release' | 'ignore';

/**
 * Decides what an owner does with an object that `isSelected` by its selector or not.
 * Source: ClaimObject in k8s.io/kubernetes/pkg/controller/controller_ref_manager.go.
 */
export function claimOf(owner: KubeObject, object: KubeObject, isSelected: boolean): Claim {
  const controller = controllerOf(object);
  const isOwnerGoing = owner.metadata.deletionTimestamp !== undefined;
  if (controller !== undefined) {
    if (controller.uid !== owner.metadata.uid) return 'ignore';
    if (isSelected) return 'own';
    return isOwnerGoing ? 'ignore' : 'release';
  }
  const isGoing = object.metadata.deletionTimestamp !== undefined;
  return isOwnerGoing || isGoing || !isSelected ? 'ignore' : 'adopt';
}

/** The parts of `claim`. */
export interface ClaimOptions<Object extends KubeObject> {
  readonly client: RestClient;
  readonly kind: ControllerKind;
  readonly owner: KubeObject;
  readonly selector: LabelSelector;
  /** The resource of the candidates, and its kind for messages. */
  readonly resource: ResourceReference<Object>;
  readonly objectKind: string;
  readonly candidates: readonly Object[];
  /** A further condition on objects, besides the selector. */
  readonly accepts?: (object: Object) => boolean;
  /** Finalizers that an object has as long as it has this owner. */
  readonly finalizers?: readonly string[];
}

/**
 * Adopts and releases objects as their labels demand, and returns those that the owner controls afterwards. All candidates are processed, then the
 * first error is thrown. Before the first adoption the server is asked whether the owner still exists.
 */
export async function claim<Object extends KubeObject>(options: ClaimOptions<Object>): Promise<Object[]> {
  const { client, owner, kind, selector, resource, candidates, finalizers, accepts = () => true } = options;
  const { namespace = '' } = owner.metadata;
  const ref = { ...resource, namespace };
  const claimed: Object[] = [];
  const errors: unknown[] = [];
  let canAdopt: Promise<void> | undefined;
  for (const object of candidates) {
    const { name = '', uid = '' } = object.metadata;
    const isSelected = selector.matches(object.metadata.labels) && accepts(object);
    const decision = claimOf(owner, object, isSelected);
    if (decision === 'own') claimed.push(object);
    try {
      if (decision === 'adopt') {
        canAdopt ??= recheckOwner(client, kind, owner);
        await canAdopt.catch((error: unknown) => {
          throw new Error(`can't adopt ${options.objectKind} ${namespace}/${name} (${uid}): ${errorMessage(error)}`);
        });
        const ownerReferences = [controllerReference(kind, owner)];
        const metadata = { ownerReferences, uid, ...(finalizers && { finalizers }) };
        claimed.push(await client.patch<Object>(ref, name, 'strategic', { metadata }));
      } else if (decision === 'release') {
        const ownerReferences = [{ $patch: 'delete', uid: owner.metadata.uid }];
        const metadata = {
          ownerReferences,
          uid,
          ...(finalizers && { '$deleteFromPrimitiveList/finalizers': finalizers }),
        };
        await client.patch(ref, name, 'strategic', { metadata });
      }
    } catch (error) {
      const isGone = isStatusError(error, 'NotFound') || (decision === 'release' && isStatusError(error, 'Invalid'));
      if (!isGone) errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
  return claimed;
}

/** Throws Error if the owner is being deleted, or is another object of this name by now. */
async function recheckOwner(client: RestClient, kind: ControllerKind, owner: KubeObject): Promise<void> {
  const { namespace = '', name = '', uid = '' } = owner.metadata;
  const { metadata } = await client.get({ ...kind.resource, namespace }, name);
  if (metadata.uid !== uid)
    throw new Error(`original ${kind.kind} ${namespace}/${name} is gone: got uid ${metadata.uid}, wanted ${uid}`);
  if (metadata.deletionTimestamp !== undefined)
    throw new Error(`${namespace}/${name} has just been deleted at ${metadata.deletionTimestamp}`);
}
