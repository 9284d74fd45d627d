import { controllerReference, type ControllerKind } from '@apichain/client';
import type { StatefulSet } from '@apichain/api/apps/v1';
import type { PersistentVolumeClaim, Pod, PodTemplateSpec, Volume } from '@apichain/api/core/v1';
import { firstByName } from '@apichain/meta';
import { podFromTemplate } from '../workloads/pod-control.ts';
import { revisionLabel } from '../workloads/revision.ts';
import { pods, statefulSets } from '../resources.ts';

/** The kind of the owners of pods and revisions. */
export const statefulSetKind: ControllerKind<StatefulSet> = {
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  resource: statefulSets,
};

/** Pods own their claims when these are to go with them. */
export const podKind: ControllerKind<Pod> = { apiVersion: 'v1', kind: 'Pod', resource: pods };

/** The stable identities of pods: https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#pod-identity */

const podNameLabel = 'statefulset.kubernetes.io/pod-name';
const podIndexLabel = 'apps.kubernetes.io/pod-index';

export const replicasOf = ({ spec }: StatefulSet): number => spec?.replicas ?? 1;
export const minReadySecondsOf = ({ spec }: StatefulSet): number => spec?.minReadySeconds ?? 0;
/** The ordinal of the first pod. */
export const startOrdinal = ({ spec }: StatefulSet): number => spec?.ordinals?.start ?? 0;

/** The name of the StatefulSet and the ordinal in the name of a pod. */
function parseName({ metadata }: Pod): { readonly parent: string; readonly ordinal: number } | undefined {
  const [, parent, digits] = /^(.*)-([0-9]+)$/s.exec(metadata.name ?? '') ?? [];
  if (parent === undefined || digits === undefined) return undefined;
  const ordinal = Number(digits);
  return ordinal < 2 ** 31 ? { parent, ordinal } : undefined;
}

/** The ordinal of a pod, -1 if its name has none. */
export const ordinalOf = (pod: Pod): number => parseName(pod)?.ordinal ?? -1;

/** Whether a pod has a name of a StatefulSet. */
export const isMemberOf = ({ metadata }: StatefulSet, pod: Pod): boolean => parseName(pod)?.parent === metadata.name;

/** Whether the ordinal of a pod is one of the replicas. */
export function isInRange(set: StatefulSet, pod: Pod): boolean {
  const index = ordinalOf(pod) - startOrdinal(set);
  return index >= 0 && index < replicasOf(set);
}

/** The name of the revision of a pod. */
export const revisionOf = ({ metadata }: Pod): string => metadata.labels?.[revisionLabel] ?? '';

/** The name of the claim that a template of claims makes for an ordinal. */
export const claimName = ({ metadata }: StatefulSet, template: PersistentVolumeClaim, ordinal: number): string =>
  `${template.metadata.name}-${metadata.name}-${ordinal}`;

/** The claims of a pod. */
export function claimsOf(set: StatefulSet, ordinal: number): PersistentVolumeClaim[] {
  const { namespace = '' } = set.metadata;
  return (set.spec?.volumeClaimTemplates ?? []).map((template) => ({
    ...template,
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      ...template.metadata,
      name: claimName(set, template, ordinal),
      namespace,
      labels: { ...template.metadata.labels, ...set.spec?.selector?.matchLabels },
    },
  }));
}

/** The pod of an ordinal with the template of a revision. */
export function podOf(set: StatefulSet, template: PodTemplateSpec, revision: string, ordinal: number): Pod {
  const pod = podFromTemplate(template, set, controllerReference(statefulSetKind, set));
  const name = `${set.metadata.name}-${ordinal}`;
  const { serviceName = '' } = set.spec ?? {};
  const named = withIdentity(set, { ...pod, metadata: { ...pod.metadata, name } });
  return {
    ...named,
    metadata: { ...named.metadata, labels: { ...named.metadata.labels, [revisionLabel]: revision } },
    spec: { ...named.spec, hostname: name, ...(serviceName !== '' && { subdomain: serviceName }) },
  };
}

/** Whether a pod has the labels and the volumes of its identity. */
export function hasIdentity(set: StatefulSet, pod: Pod): boolean {
  const { name, namespace, labels } = pod.metadata;
  const ordinal = ordinalOf(pod);
  const volumes = firstByName(pod.spec?.volumes ?? []);
  return (
    isMemberOf(set, pod) &&
    name === `${set.metadata.name}-${ordinal}` &&
    namespace === set.metadata.namespace &&
    labels?.[podNameLabel] === name &&
    (set.spec?.volumeClaimTemplates ?? []).every((template) => {
      const volume = volumes.get(template.metadata.name);
      return volume?.persistentVolumeClaim?.claimName === claimName(set, template, ordinal);
    })
  );
}

/** A pod with the labels and the volumes of its identity. */
export function withIdentity(set: StatefulSet, pod: Pod): Pod {
  const ordinal = ordinalOf(pod);
  const { name = '', labels } = pod.metadata;
  const claimed = (set.spec?.volumeClaimTemplates ?? []).map((template): Volume => {
    const volume = { name: template.metadata.name ?? '' };
    return { ...volume, persistentVolumeClaim: { claimName: claimName(set, template, ordinal) } };
  });
  const claimedNames = new Set(claimed.map(({ name }) => name));
  const others = (pod.spec?.volumes ?? []).filter((volume) => !claimedNames.has(volume.name));
  const volumes = [...claimed, ...others];
  return {
    ...pod,
    metadata: { ...pod.metadata, labels: { ...labels, [podNameLabel]: name, [podIndexLabel]: String(ordinal) } },
    spec: { ...pod.spec, ...(volumes.length > 0 && { volumes }) },
  };
}
