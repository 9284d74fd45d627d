import type { StatefulSet } from '@apichain/api/apps/v1';
import type { HorizontalPodAutoscaler } from '@apichain/api/autoscaling/v1';
import type { NodeSpec, Pod, PodSpec, PodStatus, Secret } from '@apichain/api/core/v1';
import { isSet, type ObjectMeta } from '@apichain/meta';
import type { ComputedRules } from './rules.ts';

/*
 * The effects of converting an object to the internal version and back in kube-apiserver.
 * Storage here keeps the versioned form, so these are applied after the defaults.
 */

/** Keeps the deprecated field for the service account equal to the new one. */
function serviceAccountName(podSpec: PodSpec): void {
  const name = podSpec.serviceAccountName || (podSpec.serviceAccount ?? '');
  if (name === '') return;
  podSpec.serviceAccountName = name;
  podSpec.serviceAccount = name;
}

function podSpecDefaults(podSpec: PodSpec): void {
  serviceAccountName(podSpec);
  if (!isSet(podSpec.securityContext)) podSpec.securityContext = {};
}

const droppedAnnotations = ['init-containers', 'init-container-statuses'].flatMap((name) => [
  `pod.alpha.kubernetes.io/${name}`,
  `pod.beta.kubernetes.io/${name}`,
]);

function dropInitContainerAnnotations({ metadata }: { readonly metadata?: ObjectMeta }): void {
  const annotations = metadata?.annotations;
  if (isSet(annotations)) for (const name of droppedAnnotations) delete annotations[name];
}

function gracePeriod(pod: Pod): void {
  const spec = pod.spec ?? {};
  const seconds = spec.terminationGracePeriodSeconds;
  if (typeof seconds === 'number' && seconds < 0) spec.terminationGracePeriodSeconds = 1;
}

/** Keeps podIP equal to the first of podIPs; podIP takes precedence when both are set and differ. */
function podAddresses(status: PodStatus): void {
  const { podIP = '', podIPs = [] } = status;
  const first = podIPs[0]?.ip ?? '';
  if (podIP === '') {
    if (podIPs.length > 0) status.podIP = first;
  } else if (podIPs.length === 0 || first !== podIP) status.podIPs = [{ ip: podIP }];
}

/** The same for podCIDR and podCIDRs of a node. */
function nodeRanges(spec: NodeSpec): void {
  const { podCIDR = '', podCIDRs = [] } = spec;
  const [first = ''] = podCIDRs;
  if (podCIDR === '') {
    if (podCIDRs.length > 0) spec.podCIDR = first;
  } else if (first !== podCIDR) spec.podCIDRs = [podCIDR];
}

/** stringData is merged into data and then removed. */
function secretStringData(secret: Secret): void {
  if (!isSet(secret.stringData)) return;
  const encoded = Object.entries(secret.stringData).map(([key, value]): [string, string] => [
    key,
    Buffer.from(value, 'utf8').toString('base64'),
  ]);
  if (encoded.length > 0) {
    secret.data = { ...secret.data, ...Object.fromEntries(encoded) };
  }
  delete secret.stringData;
}

function claimTemplates(statefulSet: StatefulSet): void {
  for (const template of statefulSet.spec?.volumeClaimTemplates ?? []) {
    template.apiVersion = 'v1';
    template.kind = 'PersistentVolumeClaim';
  }
}

/** autoscaling/v1 targets 80 % of the requested CPU when there is no other metric. */
function defaultCpuTarget(hpa: HorizontalPodAutoscaler): void {
  const spec = hpa.spec ?? {};
  if (isSet(spec.targetCPUUtilizationPercentage)) return;
  const metrics = hpa.metadata.annotations?.['autoscaling.alpha.kubernetes.io/metrics'] ?? '';
  if (metrics === '' && isSet(hpa.spec)) spec.targetCPUUtilizationPercentage = 80;
}

export const conversionEffects: ComputedRules = {
  'core.v1.PodSpec': [{ compute: podSpecDefaults }],
  'core.v1.Pod': [{ compute: gracePeriod }, { compute: dropInitContainerAnnotations }],
  'core.v1.PodTemplateSpec': [{ compute: dropInitContainerAnnotations }],
  'core.v1.PodStatus': [{ compute: podAddresses }],
  'core.v1.NodeSpec': [{ compute: nodeRanges }],
  'core.v1.Secret': [{ compute: secretStringData }],
  'autoscaling.v1.HorizontalPodAutoscaler': [{ compute: defaultCpuTarget }],
  'apps.v1.StatefulSet': [{ compute: claimTemplates }],
};
