import { field, inclusiveRangeError, type FieldError, type KubeObject } from '@apichain/meta';
import { at, integer, isSet, list, type Plain, record, records, text, textMap } from '@apichain/kinds';
import { semanticEqual } from '@apichain/meta';
import { goList, goValue } from '../common/go-value.ts';
import { checkEach, collect, type Out, requiredText, shownMember } from '../common/rules.ts';
import { unifiedDiff } from '../common/unified-diff.ts';
import { podAnnotationUpdateErrors } from './annotations.ts';
import type { Capabilities } from './capabilities.ts';
import { imageWhitespace } from './containers.ts';
import { storedPodErrors } from './pod.ts';
import { tolerationListErrors } from './scheduling.ts';

const affinityPath = ['affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution'] as const;
const maxInt32 = 2147483647;

/** Containers stay as many as they are, and their images are checked once more. True when nothing else is to be checked. */
function containerErrors(out: Out, name: 'containers' | 'initContainers', spec: Plain, old: Plain): boolean {
  if (list(spec[name]).length !== list(old[name]).length) {
    out.push(field.forbidden(`spec.${name}`, 'pod updates may not add or remove containers'));
    return true;
  }
  checkEach(out, records(spec[name]), (out, container, i) => {
    requiredText(out, `spec.${name}[${i}].image`, container.image);
    imageWhitespace(out, `spec.${name}[${i}]`, container);
  });
  return false;
}

/** A deadline may only come nearer. True when nothing else is to be checked. */
function deadlineErrors(out: Out, spec: Plain, old: Plain): boolean {
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

/** What of a toleration may not change: all but how long it holds. */
const tolerationIdentity = ({ key, operator, value, effect }: Plain): string =>
  JSON.stringify([key, operator, value, effect].map(text));

function addedTolerationErrors(out: Out, spec: Plain, old: Plain): void {
  const now = new Set(records(spec.tolerations).map(tolerationIdentity));
  const kept = records(old.tolerations).every((stored) => now.has(tolerationIdentity(stored)));
  if (!kept) {
    const detail = 'existing toleration can not be modified except its tolerationSeconds';
    out.push(field.forbidden('spec.tolerations', detail));
  } else tolerationListErrors(out, 'spec.tolerations', records(spec.tolerations));
}

function gateErrors(out: Out, spec: Plain, old: Plain): void {
  const before = new Set(records(old.schedulingGates).map((gate) => text(gate.name)));
  checkEach(out, records(spec.schedulingGates), (out, gate, i) => {
    if (before.has(text(gate.name))) return;
    const detail = `only deletion is allowed, but found new scheduling gate '${text(gate.name)}'`;
    out.push(field.forbidden(`spec.schedulingGates[${i}].name`, detail));
  });
}

const isPrefix = (longer: unknown, shorter: unknown): boolean =>
  list(longer).length >= list(shorter).length && list(shorter).every((item, i) => semanticEqual(item, list(longer)[i]));

/** A term without requirements matches nothing, and stays so. */
function hasOnlyAdditions(term: Plain, stored: Plain): boolean {
  const lists = ['matchExpressions', 'matchFields'];
  if (lists.every((name) => list(stored[name]).length === 0))
    return lists.every((name) => list(term[name]).length === 0);
  return lists.every((name) => isPrefix(term[name], stored[name]));
}

/** A pod that waits at its gates may be told more precisely where to go. */
function tightenedAffinityErrors(out: Out, spec: Plain, old: Plain): void {
  const path = `spec.${affinityPath.join('.')}.nodeSelectorTerms`;
  const now = records(at(spec, ...affinityPath, 'nodeSelectorTerms'));
  const before = records(at(old, ...affinityPath, 'nodeSelectorTerms'));
  if (before.length === 0) return;
  if (now.length !== before.length) {
    const shown = goList('core.v1.NodeSelectorTerm', at(spec, ...affinityPath, 'nodeSelectorTerms'));
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

function tightenedSelectorErrors(out: Out, spec: Plain, old: Plain): void {
  const now = textMap(spec.nodeSelector);
  const lost = Object.entries(textMap(old.nodeSelector)).some(([name, value]) => now[name] !== value);
  if (!lost) return;
  const detail = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)';
  out.push(field.invalid('spec.nodeSelector', shownMember(spec, 'nodeSelector'), detail));
}

function withImages(containers: unknown, stored: unknown): unknown {
  if (!Array.isArray(containers)) return containers;
  const before = records(stored);
  return records(containers).map((c, i) => ({ ...c, image: before[i]?.image }));
}

/** The affinity with the stored node affinity; what only brought a node affinity to a pod without affinity is none then. */
function withNodeAffinity(affinity: unknown, stored: unknown): unknown {
  const before = record(stored).nodeAffinity;
  if (!isSet(affinity)) return isSet(before) ? { nodeAffinity: before } : affinity;
  const now = record(affinity);
  if (!isSet(stored) && !isSet(now.podAffinity) && !isSet(now.podAntiAffinity)) return undefined;
  return { ...now, nodeAffinity: before };
}

/** What a pod that waits at its gates may be told more precisely: checked, then put back. */
function gatedChanges(out: Out, spec: Plain, old: Plain, munged: Plain): void {
  if (!semanticEqual(spec.nodeSelector, old.nodeSelector)) {
    tightenedSelectorErrors(out, spec, old);
    munged.nodeSelector = old.nodeSelector;
  }
  // An absent node affinity and one in which nothing is set are two: compared as members.
  const nodeAffinity = (of: Plain) => [record(of.affinity).nodeAffinity];
  if (semanticEqual(nodeAffinity(spec), nodeAffinity(old))) return;
  tightenedAffinityErrors(out, spec, old);
  munged.affinity = withNodeAffinity(spec.affinity, old.affinity);
}

/** The new spec with everything that may change put back. */
function mungedSpec(out: Out, spec: Plain, old: Plain): Plain {
  const munged: Plain = {
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
  if (list(old.schedulingGates).length > 0) gatedChanges(out, spec, old, munged);
  return munged;
}

const mutableFields =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

function specChangeErrors(out: Out, spec: Plain, old: Plain): void {
  if (semanticEqual(spec, old)) return;
  const munged = mungedSpec(out, spec, old);
  if (semanticEqual(munged, old)) return;
  const diff = unifiedDiff(goValue('core.v1.PodSpec', old), goValue('core.v1.PodSpec', munged));
  out.push(field.forbidden('spec', `${mutableFields}\n${diff}`));
}

/** An update of the pod itself; metadata has been compared before. */
export function validatePodUpdate(pod: KubeObject, stored: KubeObject, capabilities: Capabilities): FieldError[] {
  return collect((out) => {
    const spec = record(pod.spec);
    const old = record(stored.spec);
    storedPodErrors(out, pod, stored, capabilities);
    podAnnotationUpdateErrors(out, pod.metadata, stored.metadata, spec);
    if (containerErrors(out, 'containers', spec, old) || containerErrors(out, 'initContainers', spec, old)) return;
    if (deadlineErrors(out, spec, old)) return;
    addedTolerationErrors(out, spec, old);
    gateErrors(out, spec, old);
    specChangeErrors(out, spec, old);
  });
}
