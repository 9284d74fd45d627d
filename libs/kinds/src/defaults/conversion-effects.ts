import type { ComputedRule } from '@apichain/scheme';
import { isRecord, isSet, list, record, records, text, textMap, type Plain } from '../fields.ts';

/*
 * What converting to the internal version and back leaves on an object in the original server. Storage here holds the
 * versioned form, so these are applied after the defaults.
 */

/** The deprecated name of the service account member stays in step with the new one. */
function serviceAccountName(podSpec: Plain): void {
  const name = text(podSpec.serviceAccountName) || text(podSpec.serviceAccount);
  if (name === '') return;
  podSpec.serviceAccountName = name;
  podSpec.serviceAccount = name;
}

function podSpecDefaults(podSpec: Plain): void {
  serviceAccountName(podSpec);
  if (!isSet(podSpec.securityContext)) podSpec.securityContext = {};
}

const droppedAnnotations = ['init-containers', 'init-container-statuses'].flatMap((name) => [
  `pod.alpha.kubernetes.io/${name}`,
  `pod.beta.kubernetes.io/${name}`,
]);

function dropInitContainerAnnotations(holder: Plain): void {
  const { annotations } = record(holder.metadata);
  if (isRecord(annotations)) for (const name of droppedAnnotations) delete annotations[name];
}

function gracePeriod(pod: Plain): void {
  const spec = record(pod.spec);
  const seconds = spec.terminationGracePeriodSeconds;
  if (typeof seconds === 'number' && seconds < 0) spec.terminationGracePeriodSeconds = 1;
}

/** A single value and a list of which it is the first; the single one wins when both are set and differ. */
function syncFirst(holder: Plain, single: string, plural: string, wrap: (value: string) => unknown): void {
  const value = text(holder[single]);
  const values = list(holder[plural]);
  const first = values[0];
  const firstText = isRecord(first) ? text(first.ip) : text(first);
  if (value === '') {
    if (values.length > 0) holder[single] = firstText;
  } else if (values.length === 0 || firstText !== value) holder[plural] = [wrap(value)];
}

/** Clear text is merged into the data and not kept. */
function secretStringData(secret: Plain): void {
  if (!isRecord(secret.stringData)) return;
  const encoded = Object.entries(textMap(secret.stringData)).map(([key, value]) => [
    key,
    Buffer.from(value, 'utf8').toString('base64'),
  ]);
  if (encoded.length > 0) {
    secret.data = { ...record(secret.data), ...(Object.fromEntries(encoded) as Record<string, string>) };
  }
  delete secret.stringData;
}

function claimTemplates(statefulSet: Plain): void {
  for (const template of records(record(statefulSet.spec).volumeClaimTemplates)) {
    template.apiVersion = 'v1';
    template.kind = 'PersistentVolumeClaim';
  }
}

/** Without any other metric, autoscaling/v1 aims at 80 % of the CPU that was asked for. */
function defaultCpuTarget(hpa: Plain): void {
  const spec = record(hpa.spec);
  if (isSet(spec.targetCPUUtilizationPercentage)) return;
  const metrics = text(record(record(hpa.metadata).annotations)['autoscaling.alpha.kubernetes.io/metrics']);
  if (metrics === '' && isRecord(hpa.spec)) spec.targetCPUUtilizationPercentage = 80;
}

export const conversionEffects: Readonly<Record<string, readonly ComputedRule[]>> = {
  'core.v1.PodSpec': [{ compute: podSpecDefaults }],
  'core.v1.Pod': [{ compute: gracePeriod }, { compute: dropInitContainerAnnotations }],
  'core.v1.PodTemplateSpec': [{ compute: dropInitContainerAnnotations }],
  'core.v1.PodStatus': [{ compute: (status) => syncFirst(status, 'podIP', 'podIPs', (ip) => ({ ip })) }],
  'core.v1.NodeSpec': [{ compute: (spec) => syncFirst(spec, 'podCIDR', 'podCIDRs', (cidr) => cidr) }],
  'core.v1.Secret': [{ compute: secretStringData }],
  'autoscaling.v1.HorizontalPodAutoscaler': [{ compute: defaultCpuTarget }],
  'apps.v1.StatefulSet': [{ compute: claimTemplates }],
};
