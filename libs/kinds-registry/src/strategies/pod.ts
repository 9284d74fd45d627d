import type { GracefulDeleteOptions } from '@apichain/apiserver';
import type { RequestContext } from '@apichain/request';
import { currentTime } from '@apichain/meta';
import type { KubeObject } from '@apichain/meta';
import {
  assign,
  at,
  ensureRecord,
  formatTime,
  integer,
  isSet,
  list,
  type Plain,
  record,
  records,
  text,
  textMap,
} from '@apichain/kinds';
import type { KindBehaviour } from './behaviour.ts';
import { semanticEqual } from '@apichain/meta';
import { ipWarnings } from './ip-warnings.ts';
import { podQosClass } from '@apichain/kinds';
import { containersAt } from '@apichain/kinds-validation';
import { gatedPodFields, gatedPodStatusFields } from './gated-pod-fields.ts';
import { podTemplateWarnings, useAppArmorField } from './pod-template-warnings.ts';
import { dnsLabelNameWarnings } from './pod-name-warnings.ts';

const gatedMessage = 'Scheduling is blocked due to non-empty scheduling gates';

/** A condition that says why the scheduler leaves a gated pod alone. */
function addGatedCondition(status: Plain): void {
  const conditions = [...records(status.conditions)];
  conditions.push({
    type: 'PodScheduled',
    status: 'False',
    lastProbeTime: null,
    lastTransitionTime: formatTime(new Date(currentTime())),
    reason: 'SchedulingGated',
    message: gatedMessage,
  });
  status.conditions = conditions;
}

/** Terms that name label keys get an expression with the pod's own value of each. */
function addLabelKeyExpressions(
  selector: unknown,
  keys: unknown,
  operator: 'In' | 'NotIn',
  labels: Record<string, string>,
): void {
  if (!isSet(selector)) return;
  const target = record(selector);
  for (const key of list(keys)) {
    if (typeof key !== 'string' || !Object.hasOwn(labels, key)) continue;
    target.matchExpressions = [...list(target.matchExpressions), { key, operator, values: [labels[key]] }];
  }
}

function affinityTerms(spec: Plain): Plain[] {
  return ['podAffinity', 'podAntiAffinity'].flatMap((name) => {
    const affinity = at(spec, 'affinity', name);
    const preferred = records(at(affinity, 'preferredDuringSchedulingIgnoredDuringExecution'));
    return [
      ...records(at(affinity, 'requiredDuringSchedulingIgnoredDuringExecution')),
      ...preferred.map((weighted) => record(weighted.podAffinityTerm)),
    ];
  });
}

function mergeMatchLabelKeys(pod: KubeObject): void {
  const spec = record(pod.spec);
  const labels = textMap(pod.metadata.labels);
  for (const term of affinityTerms(spec)) {
    addLabelKeyExpressions(term.labelSelector, term.matchLabelKeys, 'In', labels);
    addLabelKeyExpressions(term.labelSelector, term.mismatchLabelKeys, 'NotIn', labels);
  }
  for (const constraint of records(spec.topologySpreadConstraints)) {
    addLabelKeyExpressions(constraint.labelSelector, constraint.matchLabelKeys, 'In', labels);
  }
}

const apparmorPrefix = 'container.apparmor.security.beta.kubernetes.io/';

function profileFromAnnotation(value: string): Plain | undefined {
  if (value === 'unconfined') return { type: 'Unconfined' };
  if (value === 'runtime/default') return { type: 'RuntimeDefault' };
  if (value.startsWith('localhost/')) return { type: 'Localhost', localhostProfile: value.slice('localhost/'.length) };
  return undefined;
}

/**
 * The deprecated AppArmor annotation becomes the container's field, unless the pod or the container says something already. Whoever relies
 * on the annotation is told so at once: it counts even when the pod is refused afterwards.
 */
function applyApparmorAnnotations(pod: KubeObject, ctx: RequestContext): void {
  const { annotations } = pod.metadata;
  const spec = record(pod.spec);
  if (annotations === undefined || at(spec, 'os', 'name') === 'windows') return;
  const podProfile = at(spec, 'securityContext', 'appArmorProfile');
  for (const { container } of containersAt(spec, '')) {
    const name = apparmorPrefix + text(container.name);
    if (!Object.hasOwn(annotations, name)) continue;
    const profile = profileFromAnnotation(annotations[name] ?? '');
    const present = isSet(at(container, 'securityContext', 'appArmorProfile'));
    const copied = profile !== undefined && !present && !semanticEqual(profile, podProfile);
    if (copied) ensureRecord(container, 'securityContext').appArmorProfile = profile;
    if (copied || profile === undefined) ctx.warn(`metadata.annotations[${name}]: ${useAppArmorField}`);
  }
}

function initialStatus(pod: KubeObject): Plain {
  const given = text(at(pod.status, 'qosClass'));
  return { phase: 'Pending', qosClass: given === '' ? podQosClass(record(pod.spec)) : given };
}

function prepareForCreate(pod: KubeObject, ctx: RequestContext): void {
  mergeMatchLabelKeys(pod);
  if (list(at(pod.spec, 'schedulingGates')).length > 0) addGatedCondition(ensureRecord(pod, 'status'));
  applyApparmorAnnotations(pod, ctx);
}

/** Sets the grace period of this delete; false when the pod goes at once. */
function checkGracefulDelete(_ctx: RequestContext, pod: KubeObject, options: GracefulDeleteOptions): boolean {
  const asked = options.gracePeriodSeconds ?? integer(at(pod.spec, 'terminationGracePeriodSeconds'));
  const finished = ['Failed', 'Succeeded'].includes(text(at(pod.status, 'phase')));
  const unscheduled = text(at(pod.spec, 'nodeName')) === '';
  const period = unscheduled || finished ? 0 : asked < 0 ? 1 : asked;
  options.gracePeriodSeconds = period;
  return true;
}

/** Fields a status writer leaves empty keep what the pod had. */
function keepObserved(pod: KubeObject, old: KubeObject): void {
  const status = ensureRecord(pod, 'status');
  const before = record(old.status);
  if (text(status.qosClass) === '') status.qosClass = text(before.qosClass) || podQosClass(record(pod.spec));
  if (integer(status.observedGeneration) === 0 && isSet(before.observedGeneration)) {
    status.observedGeneration = before.observedGeneration;
  }
  // Of several conditions of one type each keeps its own.
  const stored = Map.groupBy(records(before.conditions), (entry) => text(entry.type));
  const used = new Map<string, number>();
  for (const entry of records(status.conditions)) {
    const type = text(entry.type);
    const position = used.get(type) ?? 0;
    used.set(type, position + 1);
    const kept = stored.get(type)?.[position]?.observedGeneration;
    if (integer(entry.observedGeneration) === 0 && isSet(kept)) entry.observedGeneration = kept;
  }
}

const statusAddressWarnings = (pod: KubeObject, name: 'podIPs' | 'hostIPs'): string[] =>
  records(at(pod.status, name)).flatMap(({ ip }, i) => ipWarnings(`status.${name}[${i}].ip`, text(ip)));

export const podBehaviour: KindBehaviour = {
  name: 'subdomain',
  status: 'reset',
  initialStatus,
  generation: ['spec'],
  gated: gatedPodFields('spec'),
  returnDeletedObject: true,
  prepareForCreate,
  warnings: (pod, old) =>
    old === undefined
      ? [
          ...dnsLabelNameWarnings(pod, "this is used in the Pod's hostname, which can result in surprising behavior"),
          ...podTemplateWarnings({ metadata: pod.metadata, spec: pod.spec }, ''),
        ]
      : [],
  hooks: { checkGracefulDelete },
  subresources: {
    status: {
      fromOld: ['spec'],
      metadata: 'request',
      resetFields: ['spec', 'metadata.deletionTimestamp', 'metadata.ownerReferences'],
      gated: gatedPodStatusFields,
      warnings: (pod) => [...statusAddressWarnings(pod, 'podIPs'), ...statusAddressWarnings(pod, 'hostIPs')],
      prepareForUpdate: (pod, old) => {
        if (old.metadata.ownerReferences === undefined) delete pod.metadata.ownerReferences;
        else pod.metadata.ownerReferences = old.metadata.ownerReferences;
        delete pod.metadata.deletionTimestamp;
        keepObserved(pod, old);
      },
    },
    ephemeralcontainers: {
      fromOld: ['status'],
      metadata: 'reset',
      resetFields: [],
      prepareForUpdate: (pod, old) => {
        const containers = at(pod.spec, 'ephemeralContainers');
        pod.spec = { ...record(old.spec), ...(containers === undefined ? {} : { ephemeralContainers: containers }) };
        if (containers === undefined) delete record(pod.spec).ephemeralContainers;
        bumpForSpec(pod, old);
      },
    },
    resize: {
      fromOld: ['status'],
      metadata: 'reset',
      resetFields: [],
      prepareForUpdate: (pod, old) => {
        pod.spec = resizedSpec(record(pod.spec), record(old.spec));
        bumpForSpec(pod, old);
      },
    },
  },
};

function bumpForSpec(pod: KubeObject, old: KubeObject): void {
  if (!semanticEqual(pod.spec, old.spec)) pod.metadata.generation = (old.metadata.generation ?? 0) + 1;
}

/** Only resources and resize policies come through; other containers than before are left for validation to refuse. */
function resizedSpec(spec: Plain, old: Plain): Plain {
  const result: Plain = { ...old };
  for (const name of ['containers', 'initContainers']) {
    const asked = records(spec[name]);
    const stored = records(old[name]);
    const sameNames = asked.length === stored.length && asked.every((c, i) => c.name === stored[i]?.name);
    if (!sameNames) return spec;
    if (stored.length > 0) result[name] = stored.map((container, i) => resizedContainer(container, asked[i] ?? {}));
  }
  assign(result, 'resources', spec.resources ?? undefined);
  return result;
}

function resizedContainer(stored: Plain, asked: Plain): Plain {
  const result: Plain = { ...stored };
  for (const name of ['resources', 'resizePolicy']) {
    if (isSet(asked[name])) result[name] = asked[name];
    else delete result[name];
  }
  return result;
}
