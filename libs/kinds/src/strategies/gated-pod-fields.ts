import type { KubeObject } from '@apichain/meta';
import { at, isRecord, isSet, type Plain, record, records } from '../fields.ts';
import type { KindBehaviour } from './behaviour.ts';

/*
 * Fields behind feature gates that are off by default: a new object loses them before anything else looks at it, one that had them keeps
 * them. After k8s.io/kubernetes/pkg/api/pod/util.go.
 */
const containerLists = ['containers', 'initContainers', 'ephemeralContainers'] as const;
const statusLists = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'] as const;
const gatedProjections = ['clusterTrustBundle', 'podCertificate'] as const;

const withStopSignal = (spec: Plain): Plain[] =>
  containerLists.flatMap((name) => records(spec[name]).filter(({ lifecycle }) => isSet(record(lifecycle).stopSignal)));

/** A lifecycle that held nothing but the signal goes with it. */
function dropStopSignals(spec: Plain, old: Plain): void {
  const containers = withStopSignal(spec);
  if (containers.length === 0 || withStopSignal(old).length > 0) return;
  for (const container of containers) {
    const { stopSignal: _, ...others } = record(container.lifecycle);
    if (Object.values(others).some(isSet)) container.lifecycle = others;
    else delete container.lifecycle;
  }
}

const projectionsOf = (spec: Plain, name: string): Plain[] =>
  records(spec.volumes).flatMap(({ projected }) =>
    isRecord(projected) ? records(projected.sources).filter((source) => isSet(source[name])) : [],
  );

/** Takes a gated field from those that hold it, unless the stored object uses it already. */
export function dropGated(holders: readonly Plain[], name: string, inUse: () => boolean): void {
  if (holders.length === 0 || inUse()) return;
  for (const holder of holders) delete holder[name];
}

/** Takes the gated fields out of a pod spec that `old` does not use. */
export function dropGatedPodFields(spec: Plain, old: Plain): void {
  dropGated(isSet(spec.schedulingGroup) ? [spec] : [], 'schedulingGroup', () => isSet(old.schedulingGroup));
  dropStopSignals(spec, old);
  for (const name of gatedProjections) {
    dropGated(projectionsOf(spec, name), name, () => projectionsOf(old, name).length > 0);
  }
}

const withVolumeStatus = (status: Plain): Plain[] =>
  statusLists.flatMap((name) =>
    records(status[name]).flatMap(({ volumeMounts }) =>
      records(volumeMounts).filter((mount) => isSet(mount.volumeStatus)),
    ),
  );

/** The same for what nodes report. */
export function dropGatedPodStatusFields(status: Plain, old: Plain): void {
  const allocatable = 'nodeAllocatableResourceClaimStatuses';
  dropGated(isSet(status[allocatable]) ? [status] : [], allocatable, () => isSet(old[allocatable]));
  dropGated(withVolumeStatus(status), 'volumeStatus', () => withVolumeStatus(old).length > 0);
}

/** The behaviour of a kind that holds a pod template at `path`. */
export function withPodTemplate(path: readonly string[], behaviour: KindBehaviour): KindBehaviour {
  const specOf = (object: KubeObject | undefined): Plain => record(at(object, ...path, 'spec'));
  return {
    ...behaviour,
    prepareForCreate: (object, ctx) => {
      behaviour.prepareForCreate?.(object, ctx);
      dropGatedPodFields(specOf(object), {});
    },
    prepareForUpdate: (object, old, ctx) => {
      behaviour.prepareForUpdate?.(object, old, ctx);
      dropGatedPodFields(specOf(object), specOf(old));
    },
  };
}
