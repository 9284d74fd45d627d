import { goQuote } from '@apichain/go-text';
import { type KubeObject } from '@apichain/meta';
import { evaluatePod } from './evaluator.ts';
import { formatLevelVersion, type LevelVersion } from './policy.ts';
import { checkedPod } from './pod-spec-of.ts';

const maxPods = 3_000;
/** Milliseconds. */
const maxDuration = 1_000;

/** Puts one pod of each controller first, because the pods of a controller are alike. */
function prioritized(pods: readonly KubeObject[]): KubeObject[] {
  const seen = new Set<string>();
  const repeated: KubeObject[] = [];
  const first = pods.filter((pod) => {
    const controller = pod.metadata.ownerReferences?.find((owner) => owner.controller === true)?.uid;
    if (controller === undefined) return true;
    if (seen.has(controller)) {
      repeated.push(pod);
      return false;
    }
    seen.add(controller);
    return true;
  });
  return [...first, ...repeated];
}

interface Offenders {
  firstName: string;
  count: number;
}

function offendersText(reason: string, { firstName, count }: Offenders): string {
  if (count === 1) return `${firstName}: ${reason}`;
  return `${firstName} (and ${count - 1} other ${count === 2 ? 'pod' : 'pods'}): ${reason}`;
}

/** Warnings about existing pods when a namespace begins to enforce a policy; bounded in number and time. */
export function existingPodWarnings(namespace: string, pods: readonly KubeObject[], enforce: LevelVersion): string[] {
  const deadline = Date.now() + maxDuration;
  const offenders = new Map<string, Offenders>();
  let checked = 0;
  for (const pod of prioritized(pods).slice(0, maxPods)) {
    const reason = evaluatePod(enforce, checkedPod(pod))
      .map((violation) => violation.reason)
      .join(', ');
    if (reason !== '') note(offenders, reason, pod.metadata.name ?? '');
    checked++;
    if (Date.now() > deadline) break;
  }
  const warnings: string[] = [];
  if (checked < pods.length) {
    warnings.push(
      `new PodSecurity enforce level only checked against the first ${checked} of ${pods.length} existing pods`,
    );
  }
  if (offenders.size > 0) {
    warnings.push(
      `existing pods in namespace ${goQuote(namespace)} violate the new PodSecurity enforce level ${goQuote(formatLevelVersion(enforce))}`,
    );
  }
  return [...warnings, ...[...offenders].map(([reason, found]) => offendersText(reason, found)).toSorted()];
}

function note(offenders: Map<string, Offenders>, reason: string, name: string): void {
  const found = offenders.get(reason);
  if (found === undefined) {
    offenders.set(reason, { firstName: name, count: 1 });
    return;
  }
  found.count++;
  if (name < found.firstName) found.firstName = name;
}
