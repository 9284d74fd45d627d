import type {
  Container,
  ContainerRestartRule,
  ContainerStateTerminated,
  ContainerStatus,
  Pod,
  PodSpec,
  PodStatus,
} from '@apichain/api/core/v1';
import { field, firstByName } from '@apichain/meta';
import { isSet } from '@apichain/kinds';
import { checkEach, type Out } from '../common/rules.ts';

const terminated = (status: ContainerStatus): ContainerStateTerminated | undefined => status.state?.terminated;

function ruleApplies(rule: ContainerRestartRule, exitCode: number): boolean {
  const listed = (rule.exitCodes?.values ?? []).includes(exitCode);
  return rule.exitCodes?.operator === 'In' ? listed : !listed;
}

/** Whether a container that terminated with this exit code is restarted. */
function isRestarted(container: Container, podPolicy: string | undefined, isInit: boolean, exitCode: number): boolean {
  const rules = container.restartPolicyRules ?? [];
  if (rules.some((rule) => rule.action === 'Restart' && ruleApplies(rule, exitCode))) return true;
  const policy = isSet(container.restartPolicy) ? container.restartPolicy : podPolicy;
  if (isInit && !isSet(container.restartPolicy)) return policy !== 'Never' && exitCode !== 0;
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);
}

const mayNot = 'may not be transitioned to non-terminated state';

type StatusList = 'containerStatuses' | 'initContainerStatuses' | 'ephemeralContainerStatuses';
type SpecList = 'containers' | 'initContainers' | 'ephemeralContainers';

function listErrors(out: Out, pod: Pod, old: PodStatus, name: StatusList, specName: SpecList): void {
  const spec = pod.spec ?? {};
  const containers = firstByName<Container>(spec[specName] ?? []);
  const before = new Map((old[name] ?? []).map((status) => [status.name ?? '', status]));
  checkEach(out, pod.status?.[name] ?? [], (out, status, i) => {
    const stored = before.get(status.name ?? '');
    const ended = stored === undefined ? undefined : terminated(stored);
    if (ended === undefined || terminated(status) !== undefined) return;
    const container = containers.get(status.name);
    const exitCode = ended.exitCode ?? 0;
    if (container !== undefined && specName !== 'ephemeralContainers') {
      if (isRestarted(container, spec.restartPolicy, specName === 'initContainers', exitCode)) return;
    }
    out.push(field.forbidden(`status.${name}[${i}].state`, mayNot));
  });
}

const restartsAll = (spec: PodSpec): boolean =>
  (['containers', 'initContainers'] as const).some((name) =>
    spec[name]?.some((container) =>
      container.restartPolicyRules?.some((rule) => rule.action === 'RestartAllContainers'),
    ),
  );

/** A container that has terminated and is not restarted cannot run again. */
export function containerStateErrors(out: Out, pod: Pod, old: PodStatus): void {
  const spec = pod.spec ?? {};
  if (!restartsAll(spec)) {
    if (spec.restartPolicy !== 'Always') {
      listErrors(out, pod, old, 'containerStatuses', 'containers');
      listErrors(out, pod, old, 'initContainerStatuses', 'initContainers');
    }
  }
  listErrors(out, pod, old, 'ephemeralContainerStatuses', 'ephemeralContainers');
}
