import type { PersistentVolume, PersistentVolumeClaim } from '@apichain/api/core/v1';
import { objectKey } from '@apichain/client';
import { storageAnnotations, storageClassOf } from '@apichain/component-helpers';
import { type ControllerContext, type Running, newEventRecorder } from '../context.ts';
import { controllerParts } from '../controller-parts.ts';
import { byClaim, hasEnded } from '../volumes/pod-claims.ts';
import { simulatedProvisioner } from '../volumes/provisioner.ts';
import { storageClasses as classesOf, volumes as volumesOf, claims as claimsOf, pods as podsOf } from '../resources.ts';
import { planClaim, saysClass } from './claim-plan.ts';
import { ClaimSync } from './claim-sync.ts';
import { Latest } from './latest.ts';
import { bestVolume } from './matching.ts';
import { VolumeSync } from './volume-sync.ts';

/** Finds volumes by the claim that they are reserved for, and free ones by their class. */
const byUse = (volume: PersistentVolume): readonly string[] => {
  const { claimRef } = volume.spec ?? {};
  return [claimRef === undefined ? `class ${storageClassOf(volume)}` : `claim ${claimRef.namespace}/${claimRef.name}`];
};

/** Finds claims without a volume by what they wait for: a volume, or one of a class. */
const byClassOrVolume = (claim: PersistentVolumeClaim): readonly string[] => {
  if (claim.metadata.annotations?.[storageAnnotations.bindCompleted] !== undefined) return [];
  const { volumeName = '' } = claim.spec ?? {};
  return [volumeName === '' ? `class ${storageClassOf(claim)}` : `volume ${volumeName}`];
};

/**
 * Binds claims and volumes to each other, and gives volumes back whose claims are gone. Volumes of classes with the simulated provisioner are made and
 * deleted here; those of other provisioners are left to their drivers.
 * Source: https://kubernetes.io/docs/concepts/storage/persistent-volumes/
 */
export function volumeBinder(context: ControllerContext): Running {
  const { client, settings } = context;
  const { queue, informer, run } = controllerParts(context, 'persistentvolume-binder-controller');
  const claims = informer(claimsOf);
  const volumes = informer(volumesOf);
  const classes = informer(classesOf);
  const pods = informer(podsOf);
  const volumesByUse = volumes.index(byUse);
  const claimsByClassOrVolume = claims.index(byClassOrVolume);
  const podsByClaim = pods.index(byClaim);
  const parts = {
    client,
    claims: new Latest(claims),
    volumes: new Latest(volumes),
    recorder: newEventRecorder(context, 'persistentvolume-controller'),
    provisionerRecorder: newEventRecorder(context, simulatedProvisioner),
    className: (name: string) => classes.get(name),
    lookAtClaim: (key: string) => queue.add(`claim ${key}`),
  };
  const claimSync = new ClaimSync(parts);
  const volumeSync = new VolumeSync(parts);

  const enqueueClaim = (claim: PersistentVolumeClaim) => queue.add(`claim ${objectKey(claim)}`);
  const enqueueVolume = (volume: PersistentVolume) => {
    queue.add(`volume ${objectKey(volume)}`);
    if (volume.status?.phase === 'Available') enqueueWaiting(volume);
  };
  claims.addHandlers({
    onAdd: enqueueClaim,
    onUpdate: enqueueClaim,
    onDelete: (claim) => {
      enqueueClaim(claim);
      const { volumeName = '' } = claim.spec ?? {};
      if (volumeName !== '') queue.add(`volume ${volumeName}`);
    },
  });
  volumes.addHandlers({
    onAdd: enqueueVolume,
    onUpdate: enqueueVolume,
    onDelete: (volume) => {
      queue.add(`volume ${objectKey(volume)}`);
      const { claimRef } = volume.spec ?? {};
      if (claimRef !== undefined) queue.add(`claim ${claimRef.namespace}/${claimRef.name}`);
    },
  });
  const enqueueOfClass = ({ metadata }: { readonly metadata: { readonly name?: string } }) => {
    claimsByClassOrVolume.get(`class ${metadata.name}`).forEach(enqueueClaim);
    claimsByClassOrVolume
      .get('class ')
      .filter((claim) => !saysClass(claim))
      .forEach(enqueueClaim);
  };
  classes.addHandlers({ onAdd: enqueueOfClass, onUpdate: enqueueOfClass });

  /** Enqueues the claims that a free volume is good for. kube-controller-manager finds them when it looks at all claims again. */
  function enqueueWaiting(volume: PersistentVolume): void {
    claimsByClassOrVolume.get(`volume ${volume.metadata.name}`).forEach(enqueueClaim);
    for (const claim of claimsByClassOrVolume.get(`class ${storageClassOf(volume)}`))
      if (bestVolume(claim, [volume], isDelayed(claim)) !== undefined) enqueueClaim(claim);
  }

  const isDelayed = (claim: PersistentVolumeClaim): boolean =>
    classes.get(storageClassOf(claim))?.volumeBindingMode === 'WaitForFirstConsumer';

  async function reconcile(key: string): Promise<void> {
    const [kind, name = ''] = key.split(' ');
    if (kind === 'volume') return volumeSync.sync(name);
    const claim = parts.claims.get(name);
    if (claim === undefined) return;
    const candidates = [...volumesByUse.get(`claim ${name}`), ...volumesByUse.get(`class ${storageClassOf(claim)}`)];
    const plan = planClaim(claim, {
      candidates: candidates.flatMap((volume) => parts.volumes.get(objectKey(volume)) ?? []),
      named: parts.volumes.get(claim.spec?.volumeName ?? ''),
      classes: classes.list(),
      waitingPods: podsByClaim.get(name).flatMap((pod) => {
        const isWaiting = !hasEnded(pod) && (pod.spec?.nodeName ?? '') === '';
        return isWaiting ? [pod.metadata.name ?? ''] : [];
      }),
    });
    await claimSync.carryOut(claim, plan);
    // It is said again that the claim waits.
    if (plan.action === 'wait' || plan.action === 'provision')
      queue.addAfter(key, settings['pvclaimbinder-sync-period']);
  }

  // One worker: claims that look for a volume at the same time must not find the same.
  return run(reconcile);
}
