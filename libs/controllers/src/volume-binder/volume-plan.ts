import type { PersistentVolume, PersistentVolumeClaim } from '@apichain/api/core/v1';
import { hasSameMode, storageAnnotations } from '@apichain/component-helpers';
import { isSimulated } from '../volumes/simulated-provisioner.ts';
import type { Notice } from './claim-plan.ts';

/** What becomes of a volume. */
export type VolumePlan =
  | { readonly action: 'setPhase'; readonly phase: 'Available' | 'Bound' }
  /** Its claim is gone, or has another volume. */
  | { readonly action: 'release' }
  /** Its claim is to be looked at, which binds both. */
  | { readonly action: 'lookAtClaim' }
  | { readonly action: 'unbind' }
  | { readonly action: 'report'; readonly onVolume: string; readonly onClaim: string };

/**
 * Decides what becomes of a volume. `claim` is the one that it refers to, with the same uid, if that exists.
 * Source: syncVolume in k8s.io/kubernetes/pkg/controller/volume/persistentvolume.
 */
export function planVolume(volume: PersistentVolume, claim: PersistentVolumeClaim | undefined): VolumePlan {
  const { claimRef, persistentVolumeReclaimPolicy } = volume.spec ?? {};
  if (claimRef === undefined || (claimRef.uid ?? '') === '') return { action: 'setPhase', phase: 'Available' };
  if (claim === undefined) return { action: 'release' };
  const { volumeName = '' } = claim.spec ?? {};
  if (volumeName === volume.metadata.name) return { action: 'setPhase', phase: 'Bound' };
  if (volumeName !== '') {
    const isProvisioned = volume.metadata.annotations?.[storageAnnotations.provisionedBy] !== undefined;
    return { action: isProvisioned && persistentVolumeReclaimPolicy === 'Delete' ? 'release' : 'unbind' };
  }
  if (hasSameMode(volume, claim)) return { action: 'lookAtClaim' };
  const [volumeText, claimText] = [volume, claim].map(({ metadata }) => JSON.stringify(metadata.name));
  return {
    action: 'report',
    onVolume: `Cannot bind PersistentVolume to requested PersistentVolumeClaim ${claimText} due to incompatible volumeMode.`,
    onClaim: `Cannot bind PersistentVolume ${volumeText} to requested PersistentVolumeClaim due to incompatible volumeMode.`,
  };
}

/** What becomes of a volume that is released. */
export type Reclaim =
  | { readonly action: 'keep' }
  | { readonly action: 'delete' }
  | { readonly action: 'fail'; readonly notice: Notice };

const failure = (reason: string, message: string): Reclaim => ({
  action: 'fail',
  notice: { type: 'Warning', reason, message },
});

/** Decides what becomes of a released volume by its policy, and by who can delete it. */
export function planReclaim(volume: PersistentVolume): Reclaim {
  const { metadata, spec = {} } = volume;
  if ((metadata.annotations?.[storageAnnotations.migratedTo] ?? '') !== '') return { action: 'keep' };
  switch (spec.persistentVolumeReclaimPolicy) {
    case 'Retain':
      return { action: 'keep' };
    case 'Delete':
      return planDeletion(volume);
    case 'Recycle':
      return failure('VolumeFailedRecycle', 'No recycler plugin found for the volume!');
    default:
      return failure('VolumeUnknownReclaimPolicy', 'Volume has unrecognized PersistentVolumeReclaimPolicy');
  }
}

/** A path that the plugin for hostPath volumes agrees to delete. */
const temporaryPath = /\/tmp\/.+/;

function planDeletion(volume: PersistentVolume): Reclaim {
  const { metadata, spec = {} } = volume;
  const provisioner = metadata.annotations?.[storageAnnotations.provisionedBy] ?? '';
  if (isSimulated(volume)) return { action: 'delete' };
  if (provisioner !== '' && !provisioner.startsWith('kubernetes.io/')) return { action: 'keep' };
  if (provisioner !== '') return failure('VolumeFailedDelete', `no volume plugin matched name: ${provisioner}`);
  if (spec.csi !== undefined) return { action: 'keep' };
  if (spec.hostPath === undefined) {
    const name = JSON.stringify(metadata.name);
    const message = `error getting deleter volume plugin for volume ${name}: no deletable volume plugin matched`;
    return failure('VolumeFailedDelete', message);
  }
  const { path = '' } = spec.hostPath;
  if (temporaryPath.test(path)) return { action: 'delete' };
  return failure('VolumeFailedDelete', `host_path deleter only supports /tmp/.+ but received provided ${path}`);
}
