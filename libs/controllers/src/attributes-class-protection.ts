import type { PersistentVolume, PersistentVolumeClaim, PersistentVolumeClaimStatus } from '@apichain/api/core/v1';
import { type KubeObject, isStatusError } from '@apichain/meta';
import type { ControllerContext, Running } from './context.ts';
import { controllerParts } from './controller-parts.ts';
import { isWaiting, removeFinalizer } from './storage-protection.ts';

const classesOf = { group: 'storage.k8s.io', version: 'v1', resource: 'volumeattributesclasses' };
const finalizer = 'kubernetes.io/vac-protection';
/** What may name a class. */
const usersOf = ['persistentvolumeclaims', 'persistentvolumes'];

/**
 * Removes the finalizer `kubernetes.io/vac-protection` of a VolumeAttributesClass that is being deleted, once no claim and no volume names it. A class
 * without the finalizer gets it.
 */
export function attributesClassProtection(context: ControllerContext): Running {
  const { queue, enqueue, metadataInformer, sharedOrOwnInformer, run } = controllerParts(
    context,
    'volumeattributesclass-protection-controller',
  );
  const look = (object: KubeObject) => {
    if (isWaiting(object, finalizer) || isUnprotected(object)) enqueue(object);
  };
  const classes = metadataInformer(classesOf);
  classes.addHandlers({ onAdd: look, onUpdate: look });
  const users = usersOf.map((resource) => {
    const informer = sharedOrOwnInformer({
      resource: { group: '', version: 'v1', resource },
      transform: keepClasses,
    });
    informer.addHandlers({
      onUpdate: (user, old) => {
        for (const name of namesIn(old)) if (!namesIn(user).includes(name)) queue.add(name);
      },
      onDelete: (user) => {
        for (const name of namesIn(user)) queue.add(name);
      },
    });
    return informer.index(namesIn);
  });
  const isUsed = (name: string) => users.some((byClass) => byClass.get(name).length > 0);

  return run(async (name) => {
    const known = classes.get(name);
    if (known !== undefined && isUnprotected(known)) await addFinalizer(context, name);
    else await removeFinalizer(context, classesOf, known, finalizer, () => Promise.resolve(isUsed(name)));
  });
}

const isUnprotected = ({ metadata }: KubeObject): boolean =>
  metadata.deletionTimestamp === undefined && !(metadata.finalizers ?? []).includes(finalizer);

async function addFinalizer({ client }: ControllerContext, name: string): Promise<void> {
  try {
    const live = await client.get(classesOf, name);
    if (!isUnprotected(live)) return;
    live.metadata.finalizers = [...(live.metadata.finalizers ?? []), finalizer];
    await client.update(classesOf, live);
  } catch (error) {
    if (!isStatusError(error, 'NotFound')) throw error;
  }
}

type ClassUser = PersistentVolumeClaim | PersistentVolume;

/** The names of the classes that a claim or volume asks for, has, or is being changed to, each once. */
export function namesIn({ spec, status }: ClassUser): readonly string[] {
  const { currentVolumeAttributesClassName: current, modifyVolumeStatus }: PersistentVolumeClaimStatus = status ?? {};
  const names = [spec?.volumeAttributesClassName, current, modifyVolumeStatus?.targetVolumeAttributesClassName];
  return [...new Set(names.filter((each) => each !== undefined && each !== ''))] as string[];
}

/** Keeps the name of a claim or volume and what `namesIn` reads. */
export function keepClasses({ apiVersion, kind, metadata, spec, status }: ClassUser): ClassUser {
  const { name, namespace, uid, resourceVersion } = metadata;
  const { currentVolumeAttributesClassName, modifyVolumeStatus }: PersistentVolumeClaimStatus = status ?? {};
  return {
    apiVersion,
    kind,
    metadata: { name, namespace, uid, resourceVersion },
    spec: { volumeAttributesClassName: spec?.volumeAttributesClassName },
    status: { currentVolumeAttributesClassName, modifyVolumeStatus },
  };
}
