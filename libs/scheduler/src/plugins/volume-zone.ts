import type { PersistentVolume } from '@apichain/api/core/v1';
import { storageClassOf } from '@apichain/component-helpers';
import { deepEqual } from '@apichain/meta';
import type { PodInfo } from '../cluster/pod-info.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { on } from '../framework/cluster-event.ts';
import type { Plugin } from '../framework/plugin.ts';
import { type Rejection, unresolvable } from '../framework/status.ts';
import { notFound } from '../volumes/claims.ts';
import { usesClaim } from './volume-binding.ts';

interface Topology {
  readonly key: string;
  readonly values: ReadonlySet<string>;
}

/** The labels that say where a volume is, and the current name of those that are deprecated. */
const topologyLabels: Readonly<Record<string, string>> = {
  'failure-domain.beta.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
  'topology.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region': 'topology.kubernetes.io/region',
};
const topologyKeys = Object.keys(topologyLabels);

/** Rejects nodes in other zones than the volumes of the pod. */
export const volumeZone: Plugin = {
  name: 'VolumeZone',
  events: [
    on('StorageClass', ['Add'], (_, { after }) => after?.volumeBindingMode === 'WaitForFirstConsumer'),
    on('Node', ['Add', 'UpdateNodeLabel']),
    on('PersistentVolumeClaim', ['Add', 'Update'], usesClaim),
    on('PersistentVolume', ['Add', 'Update'], (_, { before, after }) => {
      if (before === undefined || after === undefined) return true;
      return !deepEqual(labelValues(before), labelValues(after));
    }),
  ],
  preFilter(pod, cluster) {
    const topologies = topologiesOf(pod, cluster);
    if ('code' in topologies) return topologies;
    if (topologies.length === 0) return undefined;
    return {
      filter({ labels }) {
        if (!topologyKeys.some((key) => labels[key] !== undefined)) return undefined;
        const isInZone = topologies.every(({ key, values }) => {
          const value = labels[key] ?? labels[topologyLabels[key] ?? key];
          return value !== undefined && values.has(value);
        });
        return isInZone ? undefined : unresolvable('node(s) had no available volume zone');
      },
    };
  },
};

const labelValues = ({ metadata }: PersistentVolume) => topologyKeys.map((key) => metadata.labels?.[key]);

/** Where the volumes of the pod are. */
function topologiesOf({ pod, namespace }: PodInfo, { objects }: Cluster): readonly Topology[] | Rejection {
  const topologies: Topology[] = [];
  for (const { persistentVolumeClaim } of pod.spec?.volumes ?? []) {
    if (persistentVolumeClaim === undefined) continue;
    const { claimName = '' } = persistentVolumeClaim;
    if (claimName === '') return unresolvable('PersistentVolumeClaim had no name');
    const claim = objects.persistentVolumeClaims.get(`${namespace}/${claimName}`);
    if (claim === undefined) return unresolvable(notFound('persistentvolumeclaim', claimName));
    const { volumeName = '' } = claim.spec ?? {};
    if (volumeName === '') {
      const reason = unboundReason(storageClassOf(claim), objects);
      if (reason !== undefined) return unresolvable(reason);
      continue;
    }
    const volume = objects.persistentVolumes.get(volumeName);
    if (volume === undefined) return unresolvable(notFound('persistentvolume', volumeName));
    for (const key of topologyKeys) {
      const values = zonesOf(volume.metadata.labels?.[key]);
      if (values !== undefined) topologies.push({ key, values });
    }
  }
  return topologies;
}

function unboundReason(className: string, { storageClasses }: Cluster['objects']): string | undefined {
  if (className === '') return 'PersistentVolumeClaim had no pv name and storageClass name';
  const storageClass = storageClasses.get(className);
  if (storageClass === undefined) return notFound('storageclass.storage.k8s.io', className);
  const { volumeBindingMode } = storageClass;
  if (volumeBindingMode === undefined) return `VolumeBindingMode not set for StorageClass "${className}"`;
  return volumeBindingMode === 'WaitForFirstConsumer' ? undefined : 'PersistentVolume had no name';
}

/** The zones of a label such as `a__b`. A label with an empty part is ignored. */
function zonesOf(label: string | undefined): ReadonlySet<string> | undefined {
  const zones = label?.split('__').map((zone) => zone.trim());
  return zones === undefined || zones.includes('') ? undefined : new Set(zones);
}
