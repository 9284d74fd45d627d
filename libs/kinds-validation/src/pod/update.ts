import type { Affinity, Container, NodeSelectorTerm, Pod, PodSpec, Toleration } from '@apichain/api/core/v1';
import { field, inclusiveRangeError, integer, semanticEqual, type FieldError } from '@apichain/meta';
import { isSet } from '@apichain/kinds';
import { goList, goValue } from '../common/go-value.ts';
import { checkEach, collect, type Out, requiredText, shownMember } from '../common/rules.ts';
import { shownDiff } from '../common/unified-diff.ts';
import { podAnnotationUpdateErrors } from './annotations.ts';
import type { Capabilities } from './context.ts';
import { imageWhitespace } from './containers.ts';
import { storedPodErrors } from './pod.ts';
import { tolerationListErrors } from './scheduling.ts';

const maxInt32 = 2147483647;

/** The number of containers cannot change, and their images are checked again. Returns true when no further checks are needed. */
function containerErrors(out: Out, name: 'containers' | 'initContainers', spec: PodSpec, old: PodSpec): boolean {
  if ((spec[name] ?? []).length !== (old[name] ?? []).length) {
    out.push(field.forbidden(`spec.${name}`, 'pod updates may not add or remove containers'));
    return true;
  }
  checkEach(out, spec[name] ?? [], (out, container, i) => {
    requiredText(out, `spec.${name}[${i}].image`, container.image);
    imageWhitespace(out, `spec.${name}[${i}]`, container);
  });
  return false;
}

/** activeDeadlineSeconds can only be added or lowered. Returns true when no further checks are needed. */
function deadlineErrors(out: Out, spec: PodSpec, old: PodSpec): boolean {
  const path = 'spec.activeDeadlineSeconds';
  if (isSet(spec.activeDeadlineSeconds)) {
    const seconds = integer(spec.activeDeadlineSeconds);
    if (seconds < 0 || seconds > maxInt32) {
      out.push(field.invalid(path, seconds, inclusiveRangeError(0, maxInt32)));
      return true;
    }
    if (isSet(old.activeDeadlineSeconds) && integer(old.activeDeadlineSeconds) < seconds) {
      out.push(field.invalid(path, seconds, 'must be less than or equal to previous value'));
      return true;
    }
  } else if (isSet(old.activeDeadlineSeconds)) {
    out.push(field.invalid(path, null, 'must not update from a positive integer to nil value'));
  }
  return false;
}

/** The fields of a toleration that cannot change: all except tolerationSeconds. */
const tolerationIdentity = ({ key = '', operator = '', value = '', effect = '' }: Toleration): string =>
  JSON.stringify([key, operator, value, effect]);

function addedTolerationErrors(out: Out, spec: PodSpec, old: PodSpec): void {
  const now = new Set(spec.tolerations?.map(tolerationIdentity));
  const kept = (old.tolerations ?? []).every((stored) => now.has(tolerationIdentity(stored)));
  if (!kept) {
    const detail = 'existing toleration can not be modified except its tolerationSeconds';
    out.push(field.forbidden('spec.tolerations', detail));
  } else tolerationListErrors(out, 'spec.tolerations', spec.tolerations ?? []);
}

function gateErrors(out: Out, spec: PodSpec, old: PodSpec): void {
  const before = new Set(old.schedulingGates?.map((gate) => gate.name ?? ''));
  checkEach(out, spec.schedulingGates ?? [], (out, gate, i) => {
    const name = gate.name ?? '';
    if (before.has(name)) return;
    const detail = `only deletion is allowed, but found new scheduling gate '${name}'`;
    out.push(field.forbidden(`spec.schedulingGates[${i}].name`, detail));
  });
}

const isPrefix = <T>(longer: readonly T[], shorter: readonly T[]): boolean =>
  longer.length >= shorter.length && shorter.every((item, i) => semanticEqual(item, longer[i]));

/** A term without requirements matches nothing, and must remain empty. */
function hasOnlyAdditions(term: NodeSelectorTerm, stored: NodeSelectorTerm): boolean {
  const lists = ['matchExpressions', 'matchFields'] as const;
  const isEmpty = (of: NodeSelectorTerm) => lists.every((name) => (of[name] ?? []).length === 0);
  if (isEmpty(stored)) return isEmpty(term);
  return lists.every((name) => isPrefix(term[name] ?? [], stored[name] ?? []));
}

const requiredTerms = (spec: PodSpec): NodeSelectorTerm[] | null | undefined =>
  spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;

/** A pod with scheduling gates can only make its required node affinity stricter. */
function tightenedAffinityErrors(out: Out, spec: PodSpec, old: PodSpec): void {
  const path = 'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms';
  const now = requiredTerms(spec) ?? [];
  const before = requiredTerms(old) ?? [];
  if (before.length === 0) return;
  if (now.length !== before.length) {
    const shown = goList('core.v1.NodeSelectorTerm', requiredTerms(spec));
    out.push(field.invalid(path, shown, 'no additions/deletions to non-empty NodeSelectorTerms list are allowed'));
    return;
  }
  checkEach(out, before, (out, term, i) => {
    const other = now[i] ?? {};
    if (hasOnlyAdditions(other, term)) return;
    const shown = goValue('core.v1.NodeSelectorTerm', other);
    out.push(field.invalid(`${path}[${i}]`, shown, 'only additions are allowed (no mutations or deletions)'));
  });
}

function tightenedSelectorErrors(out: Out, spec: PodSpec, old: PodSpec): void {
  const now = spec.nodeSelector ?? {};
  const lost = Object.entries(old.nodeSelector ?? {}).some(([name, value]) => now[name] !== value);
  if (!lost) return;
  const detail = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)';
  out.push(field.invalid('spec.nodeSelector', shownMember(spec, 'nodeSelector'), detail));
}

const withImages = (
  containers: Container[] | null | undefined,
  stored: readonly Container[] | null | undefined,
): Container[] | undefined => containers?.map((c, i) => ({ ...c, image: stored?.[i]?.image }));

/** The affinity with the stored node affinity. If the pod had no affinity and only a node affinity was added, the result is undefined. */
function withNodeAffinity(affinity: Affinity | undefined, stored: Affinity | undefined): Affinity | undefined {
  const nodeAffinity = stored?.nodeAffinity;
  if (!isSet(affinity)) return isSet(nodeAffinity) ? { nodeAffinity } : affinity;
  if (!isSet(stored) && !isSet(affinity.podAffinity) && !isSet(affinity.podAntiAffinity)) return undefined;
  return { ...affinity, nodeAffinity };
}

/** Checks the fields that a pod with scheduling gates can make stricter, then restores their stored values in `munged`. */
function gatedChanges(out: Out, spec: PodSpec, old: PodSpec, munged: PodSpec): void {
  if (!semanticEqual(spec.nodeSelector, old.nodeSelector)) {
    tightenedSelectorErrors(out, spec, old);
    munged.nodeSelector = old.nodeSelector;
  }
  // An absent node affinity differs from an empty one, so they are compared as list elements.
  const nodeAffinity = (of: PodSpec) => [of.affinity?.nodeAffinity];
  if (semanticEqual(nodeAffinity(spec), nodeAffinity(old))) return;
  tightenedAffinityErrors(out, spec, old);
  munged.affinity = withNodeAffinity(spec.affinity, old.affinity);
}

/** The new spec with the stored values of all mutable fields. */
function mungedSpec(out: Out, spec: PodSpec, old: PodSpec): PodSpec {
  const munged: PodSpec = {
    ...spec,
    containers: withImages(spec.containers, old.containers),
    initContainers: withImages(spec.initContainers, old.initContainers),
    activeDeadlineSeconds: old.activeDeadlineSeconds,
    schedulingGates: old.schedulingGates,
    tolerations: old.tolerations,
  };
  if (integer(old.terminationGracePeriodSeconds) < 0 && spec.terminationGracePeriodSeconds === 1) {
    munged.terminationGracePeriodSeconds = old.terminationGracePeriodSeconds;
  }
  if ((old.schedulingGates ?? []).length > 0) gatedChanges(out, spec, old, munged);
  return munged;
}

const mutableFields =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

function specChangeErrors(out: Out, spec: PodSpec, old: PodSpec): void {
  if (semanticEqual(spec, old)) return;
  const munged = mungedSpec(out, spec, old);
  if (semanticEqual(munged, old)) return;
  const diff = shownDiff(old, munged, (value) => goValue('core.v1.PodSpec', value));
  out.push(field.forbidden('spec', `${mutableFields}\n${diff}`));
}

/** Checks an update of the pod itself; metadata has already been checked. */
export function validatePodUpdate(pod: Pod, stored: Pod, capabilities: Capabilities): FieldError[] {
  return collect((out) => {
    const spec = pod.spec ?? {};
    const old = stored.spec ?? {};
    storedPodErrors(out, pod, stored, capabilities);
    podAnnotationUpdateErrors(out, pod.metadata, stored.metadata, spec);
    if (containerErrors(out, 'containers', spec, old) || containerErrors(out, 'initContainers', spec, old)) return;
    if (deadlineErrors(out, spec, old)) return;
    addedTolerationErrors(out, spec, old);
    gateErrors(out, spec, old);
    specChangeErrors(out, spec, old);
  });
}
