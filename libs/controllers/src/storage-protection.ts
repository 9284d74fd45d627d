import type { PersistentVolume, Pod } from '@apichain/api/core/v1';
import { type Informer, objectKey, type ResourceReference } from '@apichain/client';
import { type KubeObject, isStatusError } from '@apichain/meta';
import type { ControllerContext, Running } from './context.ts';
import { type ControllerParts, controllerParts } from './controller-parts.ts';

const claimsOf = { group: '', version: 'v1', resource: 'persistentvolumeclaims' };
const volumesOf = { group: '', version: 'v1', resource: 'persistentvolumes' };
const podsOf: ResourceReference<Pod> = { group: '', version: 'v1', resource: 'pods' };

/**
 * Removes the finalizer `kubernetes.io/pvc-protection` of a PersistentVolumeClaim that is being deleted, once no scheduled Pod uses it.
 * Source: https://kubernetes.io/docs/concepts/storage/persistent-volumes/#storage-object-in-use-protection
 */
export function claimProtection(context: ControllerContext): Running {
  const { client } = context;
  const parts = controllerParts(context, 'persistentvolumeclaim-protection-controller');
  const { queue, sharedOrOwnInformer, run } = parts;
  const claims = protectedObjects(claimsOf, finalizers.claim, parts);
  const pods = sharedOrOwnInformer({ resource: podsOf, transform: keepClaims });
  const podsByClaim = pods.index(heldClaims);
  const release = (pod: Pod) => {
    for (const key of heldClaims(pod)) queue.add(key);
  };
  pods.addHandlers({
    onDelete: release,
    // The pod may have been replaced by another pod with the same name, without the claim.
    onUpdate: (pod, old) => {
      if (pod.metadata.uid !== old.metadata.uid) release(old);
    },
  });

  async function isUsed(claim: KubeObject): Promise<boolean> {
    const key = objectKey(claim);
    if (podsByClaim.get(key).length > 0) return true;
    // The server is asked too: a pod that the informer has not observed yet must not lose its data.
    const { items } = await client.list({ ...podsOf, namespace: claim.metadata.namespace ?? '' });
    return items.some((pod) => heldClaims(pod).includes(key));
  }

  return run((key) => removeFinalizer(context, claimsOf, claims.get(key), finalizers.claim, isUsed));
}

/** Removes the finalizer `kubernetes.io/pv-protection` of a PersistentVolume that is being deleted, once it is not bound to a claim. */
export function volumeProtection(context: ControllerContext): Running {
  const parts = controllerParts(context, 'persistentvolume-protection-controller');
  const volumes = protectedObjects(volumesOf, finalizers.volume, parts);
  return parts.run((key) =>
    removeFinalizer(context, volumesOf, volumes.get(key), finalizers.volume, ({ status }: PersistentVolume) =>
      Promise.resolve(status?.phase === 'Bound'),
    ),
  );
}

const finalizers = { claim: 'kubernetes.io/pvc-protection', volume: 'kubernetes.io/pv-protection' } as const;

/** Creates an informer for a kind. Objects that are being deleted and still have their finalizer are queued. */
function protectedObjects(
  resource: typeof claimsOf,
  finalizer: string,
  { enqueue, metadataInformer }: ControllerParts,
): Informer {
  const look = (object: KubeObject) => {
    if (isWaiting(object, finalizer)) enqueue(object);
  };
  return metadataInformer(resource).addHandlers({ onAdd: look, onUpdate: look });
}

/** Whether an object is being deleted and still has the finalizer. */
export function isWaiting({ metadata }: KubeObject, finalizer: string): boolean {
  return metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).includes(finalizer);
}

/** Removes the finalizer of an object that is being deleted, unless it is used. */
export async function removeFinalizer(
  { client }: ControllerContext,
  resource: typeof claimsOf,
  known: KubeObject | undefined,
  finalizer: string,
  isUsed: (object: KubeObject) => Promise<boolean>,
): Promise<void> {
  if (known === undefined || !isWaiting(known, finalizer)) return;
  const { namespace, name = '' } = known.metadata;
  const ref = { ...resource, ...(namespace === undefined ? {} : { namespace }) };
  try {
    const live = await client.get(ref, name);
    if (live.metadata.uid !== known.metadata.uid || !isWaiting(live, finalizer) || (await isUsed(live))) return;
    live.metadata.finalizers = (live.metadata.finalizers ?? []).filter((other) => other !== finalizer);
    await client.update(ref, live);
  } catch (error) {
    if (!isStatusError(error) || error.code !== 404) throw error;
  }
}

/** The keys of the claims that a Pod uses. One that is not scheduled uses none, because nothing mounts them yet. */
export function heldClaims({ metadata: { namespace = '', name = '' }, spec = {} }: Pod): readonly string[] {
  const { nodeName = '', volumes = [] } = spec;
  if (nodeName === '') return [];
  return volumes.flatMap(({ name: volume = '', persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim !== undefined) return `${namespace}/${persistentVolumeClaim.claimName ?? ''}`;
    // The claim of an ephemeral volume is named after the pod and the volume.
    return ephemeral === undefined ? [] : `${namespace}/${name}-${volume}`;
  });
}

/** Keeps the name of a Pod and what `heldClaims` reads. */
export function keepClaims({ apiVersion, kind, metadata, spec }: Pod): Pod {
  const { name, namespace, uid, resourceVersion } = metadata;
  const { nodeName, volumes = [] } = spec ?? {};
  const held = volumes.filter(({ persistentVolumeClaim, ephemeral }) => persistentVolumeClaim ?? ephemeral);
  return {
    apiVersion,
    kind,
    metadata: { name, namespace, uid, resourceVersion },
    spec: { nodeName, volumes: held },
  };
}
