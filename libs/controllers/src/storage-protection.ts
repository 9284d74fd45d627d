import type { PersistentVolume, Pod } from '@apichain/api/core/v1';
import { type Informer, WorkQueue, objectKey } from '@apichain/client';
import { type KubeObject, isStatusError } from '@apichain/meta';
import { type ControllerContext, type Running, newInformer, runQueue, sharedOrOwnInformer } from './context.ts';

const claimsOf = { group: '', version: 'v1', resource: 'persistentvolumeclaims' };
const volumesOf = { group: '', version: 'v1', resource: 'persistentvolumes' };
const podsOf = { group: '', version: 'v1', resource: 'pods' };

/**
 * Removes the finalizer `kubernetes.io/pvc-protection` of a PersistentVolumeClaim that is being deleted, once no scheduled Pod uses it.
 * Source: https://kubernetes.io/docs/concepts/storage/persistent-volumes/#storage-object-in-use-protection
 */
export function claimProtection(context: ControllerContext): Running {
  const { client } = context;
  const pods = newInformer(context, { resource: podsOf, transform: keepClaims });
  const queue = new WorkQueue();
  const claims = protectedObjects(context, claimsOf, finalizers.claim, queue);
  const release = ({ metadata: { namespace }, spec }: KeptPod) => {
    for (const { claimName } of spec?.claims ?? []) queue.add(`${namespace}/${claimName}`);
  };
  pods.addHandlers({
    onDelete: release,
    // The pod may have been replaced by another pod with the same name, without the claim.
    onUpdate: (pod, old) => {
      if (pod.metadata.uid !== old.metadata.uid) release(old);
    },
  });

  return runQueue(context, {
    name: 'persistentvolumeclaim-protection-controller',
    informers: [claims, pods],
    queue,
    workers: 1,
    reconcile: (key) =>
      removeFinalizer(
        context,
        claimsOf,
        claims.get(key),
        finalizers.claim,
        async ({ metadata: { namespace, name } }) => {
          const uses = (pod: KeptPod) =>
            pod.metadata.namespace === namespace &&
            pod.spec?.claims.some(({ claimName }) => claimName === name) === true;
          if (pods.list().some(uses)) return true;
          // The server is asked too: a pod that the informer has not observed yet must not lose its data.
          const { items } = await client.list({ ...podsOf, ...(namespace === undefined ? {} : { namespace }) });
          return items.map(keepClaims).some(uses);
        },
      ),
  });
}

/** Removes the finalizer `kubernetes.io/pv-protection` of a PersistentVolume that is being deleted, once it is not bound to a claim. */
export function volumeProtection(context: ControllerContext): Running {
  const queue = new WorkQueue();
  const volumes = protectedObjects(context, volumesOf, finalizers.volume, queue);
  return runQueue(context, {
    name: 'persistentvolume-protection-controller',
    informers: [volumes],
    queue,
    workers: 1,
    reconcile: (key) =>
      removeFinalizer(context, volumesOf, volumes.get(key), finalizers.volume, ({ status }: PersistentVolume) =>
        Promise.resolve(status?.phase === 'Bound'),
      ),
  });
}

const finalizers = { claim: 'kubernetes.io/pvc-protection', volume: 'kubernetes.io/pv-protection' } as const;

/** Creates an informer for a kind. Objects that are being deleted and still have their finalizer are queued. */
function protectedObjects(
  context: ControllerContext,
  resource: typeof claimsOf,
  finalizer: string,
  queue: WorkQueue,
): Informer {
  const enqueue = (object: KubeObject) => {
    if (isWaiting(object, finalizer)) queue.add(objectKey(object));
  };
  return sharedOrOwnInformer(context, { resource, metadataOnly: true }).addHandlers({
    onAdd: enqueue,
    onUpdate: enqueue,
  });
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

/** The fields of a Pod that the informer keeps. */
interface KeptPod extends KubeObject {
  spec?: { readonly claims: readonly { readonly claimName: string }[] };
}

/** Keeps the name of a Pod and the claims that it uses. A Pod that is not scheduled uses none, because nothing mounts them yet. */
export function keepClaims(pod: Pod): KeptPod {
  const { name = '', namespace, uid, resourceVersion } = pod.metadata;
  const { nodeName, volumes = [] } = pod.spec ?? {};
  const claims = volumes.flatMap((volume) => {
    if (volume.persistentVolumeClaim !== undefined) return { claimName: volume.persistentVolumeClaim.claimName ?? '' };
    // The claim of an ephemeral volume is named after the pod and the volume.
    return volume.ephemeral === undefined ? [] : { claimName: `${name}-${volume.name ?? ''}` };
  });
  const metadata = { name, namespace, uid, resourceVersion } as KubeObject['metadata'];
  const held = nodeName === undefined || nodeName === '' ? [] : claims;
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: { claims: held } };
}
