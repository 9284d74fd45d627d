import type { PersistentVolume, Pod } from '@apichain/api/core/v1';
import { WorkQueue, objectKey } from '@apichain/client';
import { type KubeObject, isStatusError } from '@apichain/meta';
import { type ControllerContext, type Running, newInformer, runQueue } from './context.ts';

const claimsOf = { group: '', version: 'v1', resource: 'persistentvolumeclaims' };
const volumesOf = { group: '', version: 'v1', resource: 'persistentvolumes' };
const podsOf = { group: '', version: 'v1', resource: 'pods' };

/**
 * Lets a PersistentVolumeClaim that is being deleted go (finalizer `kubernetes.io/pvc-protection`) once no scheduled Pod uses it.
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
    // A pod of that name may be another one by now, without the claim.
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
          // What the informer has not heard of yet must not lose its data.
          const { items } = await client.list({ ...podsOf, ...(namespace === undefined ? {} : { namespace }) });
          return items.map(keepClaims).some(uses);
        },
      ),
  });
}

/** Lets a PersistentVolume that is being deleted go (finalizer `kubernetes.io/pv-protection`) once it is not bound to a claim. */
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

/** Informer of the objects of a kind that queues those that wait for their finalizer. */
function protectedObjects(
  context: ControllerContext,
  resource: typeof claimsOf,
  finalizer: string,
  queue: WorkQueue,
): ReturnType<typeof newInformer> {
  const enqueue = (object: KubeObject) => {
    if (isWaiting(object, finalizer)) queue.add(objectKey(object));
  };
  return newInformer(context, { resource, metadataOnly: true }).addHandlers({ onAdd: enqueue, onUpdate: enqueue });
}

function isWaiting({ metadata }: KubeObject, finalizer: string): boolean {
  return metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).includes(finalizer);
}

async function removeFinalizer(
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

/** What the informer keeps of a pod. */
interface KeptPod extends KubeObject {
  spec?: { readonly claims: readonly { readonly claimName: string }[] };
}

/** Of a pod, its name and the claims it holds: none before it is scheduled, for then nothing mounts them. */
export function keepClaims(pod: Pod): KeptPod {
  const { name = '', namespace, uid, resourceVersion } = pod.metadata;
  const { nodeName, volumes = [] } = pod.spec ?? {};
  const claims = volumes.flatMap((volume) => {
    if (volume.persistentVolumeClaim !== undefined) return { claimName: volume.persistentVolumeClaim.claimName ?? '' };
    // The claim of an ephemeral volume has the name of both.
    return volume.ephemeral === undefined ? [] : { claimName: `${name}-${volume.name ?? ''}` };
  });
  const metadata = { name, namespace, uid, resourceVersion } as KubeObject['metadata'];
  const held = nodeName === undefined || nodeName === '' ? [] : claims;
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: { claims: held } };
}
