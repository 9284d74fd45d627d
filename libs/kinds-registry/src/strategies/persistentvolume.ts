import { currentTime } from '@apichain/meta';
import type { KubeObject } from '@apichain/meta';
import { at, ensureRecord, formatTime, isSet, record, records, text } from '@apichain/kinds';
import type { KindBehaviour } from './behaviour.ts';
import { nodeSelectorTermWarnings } from './node-label-warnings.ts';
import { storageClassWarning } from './persistentvolumeclaim.ts';
import { volumePluginWarnings } from './volume-warnings.ts';

const now = (): string => formatTime(new Date(currentTime()));

/** The time of the last phase change is the server's to set, unless the writer moved it along with the phase. */
function keepTransitionTime(volume: KubeObject, old: KubeObject): void {
  const status = ensureRecord(volume, 'status');
  const before = record(old.status);
  const given = status.lastPhaseTransitionTime;
  if (text(status.phase) === text(before.phase)) {
    if (!isSet(given) && isSet(before.lastPhaseTransitionTime)) {
      status.lastPhaseTransitionTime = before.lastPhaseTransitionTime;
    }
    return;
  }
  if (!isSet(given) || given === before.lastPhaseTransitionTime) status.lastPhaseTransitionTime = now();
}

const mountOptions = 'volume.beta.kubernetes.io/mount-options';

function warnings(volume: KubeObject): string[] {
  const spec = record(volume.spec);
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
    ...records(at(spec, 'nodeAffinity', 'required', 'nodeSelectorTerms')).flatMap((term, i) =>
      nodeSelectorTermWarnings(term, `spec.nodeAffinity.required.nodeSelectorTerms[${i}]`),
    ),
    ...volumePluginWarnings({ ...spec, flocker: undefined, quobyte: undefined }, 'spec'),
  ];
}

export const persistentVolumeBehaviour: KindBehaviour = {
  name: 'subdomain',
  status: 'reset',
  initialStatus: () => ({ phase: 'Pending', lastPhaseTransitionTime: now() }),
  returnDeletedObject: true,
  warnings,
  subresources: {
    status: { fromOld: ['spec'], metadata: 'request', resetFields: ['spec'], prepareForUpdate: keepTransitionTime },
  },
};
