import { currentTimestamp, isSet } from '@apichain/meta';
import type { PersistentVolume } from '@apichain/api/core/v1';
import type { KindBehaviour } from './behaviour.ts';
import { nodeSelectorTermWarnings } from './node-label-warnings.ts';
import { storageClassWarning } from './persistentvolumeclaim.ts';
import { volumePluginWarnings } from './volume-warnings.ts';

/** The server sets the time of the last phase change, unless the client changed it together with the phase. */
function keepTransitionTime(volume: PersistentVolume, old: PersistentVolume): void {
  const status = (volume.status ??= {});
  const before = old.status ?? {};
  const given = status.lastPhaseTransitionTime;
  if ((status.phase ?? '') === (before.phase ?? '')) {
    if (!isSet(given) && isSet(before.lastPhaseTransitionTime)) {
      status.lastPhaseTransitionTime = before.lastPhaseTransitionTime;
    }
    return;
  }
  if (!isSet(given) || given === before.lastPhaseTransitionTime) status.lastPhaseTransitionTime = currentTimestamp();
}

const mountOptions = 'volume.beta.kubernetes.io/mount-options';

function warnings(volume: PersistentVolume): string[] {
  const spec = volume.spec ?? {};
  return [
    ...storageClassWarning(volume),
    ...(volume.metadata.annotations?.[mountOptions] === undefined
      ? []
      : [`metadata.annotations[${mountOptions}]: deprecated since v1.31; use "mountOptions" attribute instead`]),
    ...(spec.persistentVolumeReclaimPolicy === 'Recycle'
      ? [
          'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.',
        ]
      : []),
    ...(spec.nodeAffinity?.required?.nodeSelectorTerms ?? []).flatMap((term, i) =>
      nodeSelectorTermWarnings(term, `spec.nodeAffinity.required.nodeSelectorTerms[${i}]`),
    ),
    ...volumePluginWarnings({ ...spec, flocker: undefined, quobyte: undefined }, 'spec'),
  ];
}

export const persistentVolumeBehaviour: KindBehaviour<PersistentVolume> = {
  name: 'subdomain',
  status: 'reset',
  initialStatus: () => ({ phase: 'Pending', lastPhaseTransitionTime: currentTimestamp() }),
  returnDeletedObject: true,
  warnings,
  subresources: {
    status: { fromOld: ['spec'], metadata: 'request', resetFields: ['spec'], prepareForUpdate: keepTransitionTime },
  },
};
