import type { PersistentVolume, PersistentVolumeClaim } from '@apichain/api/core/v1';
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
  const { queue, enqueue, ownInformer, run } = controllerParts(context, 'volumeattributesclass-protection-controller');
  const look = (object: KubeObject) => {
    if (isWaiting(object, finalizer) || isUnprotected(object)) enqueue(object);
  };
  const classes = ownInformer({ resource: classesOf, metadataOnly: true });
  classes.addHandlers({ onAdd: look, onUpdate: look });
  const users = usersOf.map((resource) => {
    const informer = ownInformer({ resource: { group: '', version: 'v1', resource }, transform: keepClasses });
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

/** A claim or a volume with the names of the classes that it refers to. */
interface ClassUser extends KubeObject {
  spec?: { readonly classes: readonly string[] };
}

const namesIn = ({ spec }: ClassUser): readonly string[] => spec?.classes ?? [];

/** Keeps the name of a claim or volume, and the classes that it asks for, has, or is being changed to. */
export function keepClasses({ apiVersion, kind, metadata, spec, status }: KubeObject): ClassUser {
  const { name, namespace, uid, resourceVersion } = metadata;
  const asked = (spec as (PersistentVolumeClaim | PersistentVolume)['spec'])?.volumeAttributesClassName;
  const { currentVolumeAttributesClassName: current, modifyVolumeStatus } =
    (status as PersistentVolumeClaim['status']) ?? {};
  const names = [asked, current, modifyVolumeStatus?.targetVolumeAttributesClassName];
  const classes = [...new Set(names.filter((each) => each !== undefined && each !== ''))] as string[];
  return {
    apiVersion,
    kind,
    metadata: { name, namespace, uid, resourceVersion },
    spec: { classes },
  };
}
