import type { GracefulDeleteOptions } from '@apichain/apiserver';
import type { RequestContext } from '@apichain/request';
import { assign, currentTimestamp, integer, isSet, semanticEqual } from '@apichain/meta';
import { podQosClass, containersAt } from '@apichain/kinds';
import type { LabelSelector } from '@apichain/api/meta/v1';
import type { AppArmorProfile, Container, Pod, PodAffinityTerm, PodSpec, PodStatus } from '@apichain/api/core/v1';
import { connections } from '../connect/storages.ts';
import { podActions } from '../pods/actions.ts';
import type { KindBehaviour } from './behaviour.ts';
import { ipWarnings } from './ip-warnings.ts';
import { gatedPodFields, gatedPodStatusFields } from './gated-pod-fields.ts';
import { podTemplateWarnings, useAppArmorField, dnsLabelNameWarnings } from './pod-template-warnings.ts';

const gatedMessage = 'Scheduling is blocked due to non-empty scheduling gates';

/** Adds the condition that explains why a pod with scheduling gates is not scheduled. */
function addGatedCondition(status: PodStatus): void {
  const conditions = [...(status.conditions ?? [])];
  conditions.push({
    type: 'PodScheduled',
    status: 'False',
    lastProbeTime: null,
    lastTransitionTime: currentTimestamp(),
    reason: 'SchedulingGated',
    message: gatedMessage,
  });
  status.conditions = conditions;
}

/** Adds an expression with the pod's own label value for each of the terms' label keys. */
function addLabelKeyExpressions(
  selector: LabelSelector | undefined,
  keys: string[] | undefined,
  operator: 'In' | 'NotIn',
  labels: Record<string, string>,
): void {
  if (!isSet(selector)) return;
  for (const key of keys ?? []) {
    const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
    if (value === undefined) continue;
    selector.matchExpressions = [...(selector.matchExpressions ?? []), { key, operator, values: [value] }];
  }
}

function affinityTerms(spec: PodSpec): PodAffinityTerm[] {
  return (['podAffinity', 'podAntiAffinity'] as const).flatMap((name) => {
    const affinity = spec.affinity?.[name];
    const preferred = affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    return [
      ...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
      ...preferred.map((weighted) => weighted.podAffinityTerm ?? {}),
    ];
  });
}

function mergeMatchLabelKeys(pod: Pod): void {
  const spec = pod.spec ?? {};
  const labels = pod.metadata.labels ?? {};
  for (const term of affinityTerms(spec)) {
    addLabelKeyExpressions(term.labelSelector, term.matchLabelKeys, 'In', labels);
    addLabelKeyExpressions(term.labelSelector, term.mismatchLabelKeys, 'NotIn', labels);
  }
  for (const constraint of spec.topologySpreadConstraints ?? []) {
    addLabelKeyExpressions(constraint.labelSelector, constraint.matchLabelKeys, 'In', labels);
  }
}

const apparmorPrefix = 'container.apparmor.security.beta.kubernetes.io/';

function profileFromAnnotation(value: string): AppArmorProfile | undefined {
  if (value === 'unconfined') return { type: 'Unconfined' };
  if (value === 'runtime/default') return { type: 'RuntimeDefault' };
  if (value.startsWith('localhost/')) return { type: 'Localhost', localhostProfile: value.slice('localhost/'.length) };
  return undefined;
}

/**
 * Copies the deprecated AppArmor annotation to the container's field, unless the pod or the container already has a profile. Warns about the
 * annotation immediately, so that the warning is sent even when the pod is rejected later.
 */
function applyApparmorAnnotations(pod: Pod, ctx: RequestContext): void {
  const { annotations } = pod.metadata;
  const spec = pod.spec ?? {};
  if (annotations === undefined || spec.os?.name === 'windows') return;
  const podProfile = spec.securityContext?.appArmorProfile;
  for (const { container } of containersAt(spec, '')) {
    const name = apparmorPrefix + (container.name ?? '');
    if (!Object.hasOwn(annotations, name)) continue;
    const profile = profileFromAnnotation(annotations[name] ?? '');
    const present = isSet(container.securityContext?.appArmorProfile);
    const copied = profile !== undefined && !present && !semanticEqual(profile, podProfile);
    if (copied) (container.securityContext ??= {}).appArmorProfile = profile;
    if (copied || profile === undefined) ctx.warn(`metadata.annotations[${name}]: ${useAppArmorField}`);
  }
}

function initialStatus(pod: Pod): PodStatus {
  const given = pod.status?.qosClass ?? '';
  return { phase: 'Pending', qosClass: given === '' ? podQosClass(pod.spec ?? {}) : given };
}

function prepareForCreate(pod: Pod, ctx: RequestContext): void {
  mergeMatchLabelKeys(pod);
  if ((pod.spec?.schedulingGates ?? []).length > 0) addGatedCondition((pod.status ??= {}));
  applyApparmorAnnotations(pod, ctx);
}

/** Sets the grace period of a delete; 0 deletes the pod immediately. */
function checkGracefulDelete(_ctx: RequestContext, pod: Pod, options: GracefulDeleteOptions): boolean {
  const asked = options.gracePeriodSeconds ?? integer(pod.spec?.terminationGracePeriodSeconds);
  const finished = ['Failed', 'Succeeded'].includes(pod.status?.phase ?? '');
  const unscheduled = (pod.spec?.nodeName ?? '') === '';
  const period = unscheduled || finished ? 0 : asked < 0 ? 1 : asked;
  options.gracePeriodSeconds = period;
  return true;
}

/** Fields that a status write leaves empty keep their stored values. */
function keepObserved(pod: Pod, old: Pod): void {
  const status = (pod.status ??= {});
  const before = old.status ?? {};
  if ((status.qosClass ?? '') === '') status.qosClass = before.qosClass || podQosClass(pod.spec ?? {});
  if ((status.observedGeneration ?? 0) === 0 && isSet(before.observedGeneration)) {
    status.observedGeneration = before.observedGeneration;
  }
  // Among several conditions of one type, each keeps its own value.
  const stored = Map.groupBy(before.conditions ?? [], (entry) => entry.type ?? '');
  const used = new Map<string, number>();
  for (const entry of status.conditions ?? []) {
    const type = entry.type ?? '';
    const position = used.get(type) ?? 0;
    used.set(type, position + 1);
    const kept = stored.get(type)?.[position]?.observedGeneration;
    if ((entry.observedGeneration ?? 0) === 0 && isSet(kept)) entry.observedGeneration = kept;
  }
}

const statusAddressWarnings = (pod: Pod, name: 'podIPs' | 'hostIPs'): string[] =>
  (pod.status?.[name] ?? []).flatMap(({ ip }, i) => ipWarnings(`status.${name}[${i}].ip`, ip ?? ''));

export const podBehaviour: KindBehaviour<Pod> = {
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
  server: { storages: (stored, server) => [...connections(stored, server), ...podActions(stored, server)] },
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
        const spec = { ...old.spec };
        assign(spec, 'ephemeralContainers', pod.spec?.ephemeralContainers);
        pod.spec = spec;
        bumpForSpec(pod, old);
      },
    },
    resize: {
      fromOld: ['status'],
      metadata: 'reset',
      resetFields: [],
      prepareForUpdate: (pod, old) => {
        pod.spec = resizedSpec(pod.spec ?? {}, old.spec ?? {});
        bumpForSpec(pod, old);
      },
    },
  },
};

function bumpForSpec(pod: Pod, old: Pod): void {
  if (!semanticEqual(pod.spec, old.spec)) pod.metadata.generation = (old.metadata.generation ?? 0) + 1;
}

/** Takes only resources and resize policies from the request. If the containers differ otherwise, validation rejects the request. */
function resizedSpec(spec: PodSpec, old: PodSpec): PodSpec {
  const result: PodSpec = { ...old };
  for (const name of ['containers', 'initContainers'] as const) {
    const asked = spec[name] ?? [];
    const stored = old[name] ?? [];
    const sameNames = asked.length === stored.length && asked.every((c, i) => c.name === stored[i]?.name);
    if (!sameNames) return spec;
    if (stored.length > 0) result[name] = stored.map((container, i) => resizedContainer(container, asked[i] ?? {}));
  }
  assign(result, 'resources', spec.resources);
  return result;
}

function resizedContainer(stored: Container, asked: Container): Container {
  const result: Container = { ...stored };
  assign(result, 'resources', asked.resources);
  assign(result, 'resizePolicy', asked.resizePolicy);
  return result;
}
