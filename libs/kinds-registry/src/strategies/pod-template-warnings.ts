import { goQuote } from '@apichain/go-text';
import { isSet, isDNS1123Label, type KubeObject } from '@apichain/meta';
import type { LocalObjectReference, NodeAffinity, PodSpec, PodTemplateSpec } from '@apichain/api/core/v1';
import { containerWarnings, fractionalWarning } from './container-warnings.ts';
import { ipWarnings } from './ip-warnings.ts';
import { nodeLabelWarning, nodeSelectorTermWarnings } from './node-label-warnings.ts';
import { volumeWarnings } from './volume-warnings.ts';

const required = 'requiredDuringSchedulingIgnoredDuringExecution';
const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

function nodeAffinityWarnings(out: string[], affinity: NodeAffinity, base: string): void {
  const terms = affinity[required]?.nodeSelectorTerms ?? [];
  for (const [i, term] of terms.entries()) {
    out.push(...nodeSelectorTermWarnings(term, `${base}.${required}.nodeSelectorTerms[${i}]`));
  }
  for (const [i, weighted] of (affinity[preferred] ?? []).entries()) {
    out.push(...nodeSelectorTermWarnings(weighted.preference ?? {}, `${base}.${preferred}[${i}].preference`, true));
  }
}

const matchesNothing = 'a null labelSelector results in matching no pod';

/** Warnings about deprecated node labels, in all fields that name them. */
function nodeWarnings(out: string[], spec: PodSpec, path: string): void {
  for (const key of Object.keys(spec.nodeSelector ?? {}).toSorted()) {
    const message = nodeLabelWarning(key);
    if (message !== undefined) out.push(`${path}.nodeSelector[${key}]: ${message}`);
  }
  const affinity = spec.affinity?.nodeAffinity;
  if (isSet(affinity)) nodeAffinityWarnings(out, affinity, `${path}.affinity.nodeAffinity`);
  for (const [i, constraint] of (spec.topologySpreadConstraints ?? []).entries()) {
    const where = `${path}.topologySpreadConstraints[${i}]`;
    const key = constraint.topologyKey ?? '';
    const message = nodeLabelWarning(key);
    if (message !== undefined) out.push(`${where}.topologyKey: ${key} is ${message}`);
    if (!isSet(constraint.labelSelector)) out.push(`${where}.labelSelector: ${matchesNothing}`);
  }
}

const oldAnnotations: Readonly<Record<string, string>> = {
  'scheduler.alpha.kubernetes.io/critical-pod': 'non-functional in v1.16+; use the "priorityClassName" field instead',
  'security.alpha.kubernetes.io/sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
  'security.alpha.kubernetes.io/unsafe-sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
};

function addressWarnings(out: string[], spec: PodSpec, path: string): void {
  for (const [i, ip] of (spec.dnsConfig?.nameservers ?? []).entries()) {
    out.push(...ipWarnings(`${path}.dnsConfig.nameservers[${i}]`, ip));
  }
  for (const [i, alias] of (spec.hostAliases ?? []).entries()) {
    out.push(...ipWarnings(`${path}.hostAliases[${i}].ip`, alias.ip ?? ''));
  }
}

/** Warns about entries that repeat the value of an earlier one. */
function repeated<Name extends string>(
  out: string[],
  entries: readonly { readonly [Member in Name]?: string }[] | null | undefined,
  path: string,
  name: Name,
): void {
  const seen = new Set<string>();
  for (const [i, entry] of (entries ?? []).entries()) {
    const value: string = entry[name] ?? '';
    if (seen.has(value)) out.push(`${path}[${i}].${name}: duplicate ${name} ${goQuote(value)}`);
    seen.add(value);
  }
}

function pullSecretWarnings(out: string[], secrets: LocalObjectReference[] | undefined, path: string): void {
  repeated(out, secrets, path, 'name');
  for (const [i, secret] of (secrets ?? []).entries()) {
    if ((secret.name ?? '') === '') out.push(`${path}[${i}].name: invalid empty name ""`);
  }
}

function podAffinityWarnings(out: string[], spec: PodSpec, path: string): void {
  for (const name of ['podAffinity', 'podAntiAffinity'] as const) {
    const affinity = spec.affinity?.[name] ?? {};
    const base = `${path}.affinity.${name}`;
    for (const [i, term] of (affinity[required] ?? []).entries()) {
      if (!isSet(term.labelSelector)) out.push(`${base}.${required}[${i}].labelSelector: ${matchesNothing}`);
    }
    for (const [i, weighted] of (affinity[preferred] ?? []).entries()) {
      if (isSet(weighted.podAffinityTerm?.labelSelector)) continue;
      out.push(`${base}.${preferred}[${i}].podAffinityTerm.labelSelector: ${matchesNothing}`);
    }
  }
}

const seccomp = 'seccomp.security.alpha.kubernetes.io/pod';
const containerSeccomp = 'container.seccomp.security.alpha.kubernetes.io/';
const containerAppArmor = 'container.apparmor.security.beta.kubernetes.io/';
const useSeccompField = 'non-functional in v1.27+; use the "seccompProfile" field instead';
export const useAppArmorField = 'deprecated since v1.30; use the "appArmorProfile" field instead';

/**
 * Warnings about a pod or pod template that is valid. `path` is that of the template (`''` for a pod, otherwise `spec.template`). After
 * k8s.io/kubernetes/pkg/api/pod/warnings.go. The warnings about a pod's AppArmor annotations are issued in prepareForCreate, not here.
 */
export function podTemplateWarnings(template: PodTemplateSpec, path: string): string[] {
  const out: string[] = [];
  const spec = template.spec ?? {};
  const specPath = join(path, 'spec');
  const annotations = template.metadata?.annotations ?? {};
  const annotationsPath = join(path, 'metadata.annotations');
  const ifAnnotated = (name: string, message: string) => {
    if (Object.hasOwn(annotations, name)) out.push(`${annotationsPath}[${name}]: ${message}`);
  };
  const podSecurity = spec.securityContext ?? {};
  nodeWarnings(out, spec, specPath);
  for (const [name, message] of Object.entries(oldAnnotations)) ifAnnotated(name, message);
  volumeWarnings(out, spec, specPath);
  repeated(out, spec.hostAliases, `${specPath}.hostAliases`, 'ip');
  pullSecretWarnings(out, spec.imagePullSecrets, `${specPath}.imagePullSecrets`);
  for (const name of ['memory', 'ephemeral-storage'])
    fractionalWarning(out, spec.overhead, `${specPath}.overhead`, name);
  if (!isSet(podSecurity.seccompProfile)) ifAnnotated(seccomp, useSeccompField);
  containerWarnings(out, spec, specPath, (container) => {
    const security = container.securityContext ?? {};
    if (!isSet(security.seccompProfile)) ifAnnotated(containerSeccomp + (container.name ?? ''), useSeccompField);
    if (path === '' || isSet(podSecurity.appArmorProfile) || isSet(security.appArmorProfile)) return;
    ifAnnotated(containerAppArmor + (container.name ?? ''), useAppArmorField);
  });
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) {
    const detail = 'must be >= 0; negative values are invalid and will be treated as 1';
    out.push(`${specPath}.terminationGracePeriodSeconds: ${detail}`);
  }
  if (isSet(spec.affinity)) podAffinityWarnings(out, spec, specPath);
  addressWarnings(out, spec, specPath);
  return out;
}

/** Warns when a name that becomes the hostname of pods is not a DNS label. `why` is the text before `; a DNS label is recommended`. */
export function dnsLabelNameWarnings(object: KubeObject, why: string): string[] {
  const messages = isDNS1123Label(object.metadata.name ?? '');
  if (messages.length === 0) return [];
  return [`metadata.name: ${why}; a DNS label is recommended: [${messages.join(' ')}]`];
}

export const podNamesWarning = (object: KubeObject): string[] =>
  dnsLabelNameWarnings(object, 'this is used in Pod names and hostnames, which can result in surprising behavior');
