import type { PodFailurePolicy, PodFailurePolicyOnExitCodesRequirement } from '@apichain/api/batch/v1';
import type { ContainerStatus, Pod } from '@apichain/api/core/v1';

/** What a failed pod means for its job. */
interface FailureVerdict {
  /** The action of the rule that matches. Undefined when none does. */
  readonly action?: string;
  /** Why the whole job fails. */
  readonly failJob?: string;
  /** Whether the failure counts towards the back-off limit. */
  readonly counts: boolean;
}

/**
 * The first rule that matches decides; without one, the failure counts.
 * https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-failure-policy
 */
export function judgeFailure(policy: PodFailurePolicy | undefined, pod: Pod): FailureVerdict {
  for (const [index, { action = '', onExitCodes, onPodConditions }] of (policy?.rules ?? []).entries()) {
    const { namespace = '', name = '' } = pod.metadata;
    let reason: string | undefined;
    if (onExitCodes !== undefined) {
      const container = containerThatMatches(pod, onExitCodes);
      if (container !== undefined)
        reason = `Container ${container.name} for pod ${namespace}/${name} failed with exit code ${container.state?.terminated?.exitCode}`;
    } else {
      const condition = (pod.status?.conditions ?? []).find(({ type, status }) =>
        (onPodConditions ?? []).some((pattern) => pattern.type === type && pattern.status === status),
      );
      if (condition !== undefined) reason = `Pod ${namespace}/${name} has condition ${condition.type}`;
    }
    if (reason === undefined) continue;
    const counts = action !== 'Ignore';
    if (action !== 'FailJob') return { action, counts };
    return { action, counts, failJob: `${reason} matching ${action} rule at index ${index}` };
  }
  return { counts: true };
}

function containerThatMatches(
  { status }: Pod,
  { containerName, operator, values }: PodFailurePolicyOnExitCodesRequirement,
): ContainerStatus | undefined {
  return [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])].find(({ name, state }) => {
    const exitCode = state?.terminated?.exitCode ?? 0;
    if (exitCode === 0 || (containerName !== undefined && containerName !== name)) return false;
    return (values ?? []).includes(exitCode) === (operator === 'In');
  });
}
