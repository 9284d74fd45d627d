import { field, type KubeObject } from '@apichain/meta';
import { integer, isSet, list, type Plain, record, records, text } from '@apichain/kinds';
import { checkEach, type Out } from '../common/rules.ts';
import { firstByName } from '../common/repeats.ts';

const terminated = (status: Plain): Plain | undefined => {
  const { state } = status;
  const value = record(state).terminated;
  return isSet(value) ? record(value) : undefined;
};

function ruleApplies(rule: Plain, exitCode: number): boolean {
  const { operator, values } = record(rule.exitCodes);
  const listed = list(values).some((value) => integer(value) === exitCode);
  return operator === 'In' ? listed : !listed;
}

/** Whether a container that ended so is started again. */
function isRestarted(container: Plain, podPolicy: unknown, isInit: boolean, exitCode: number): boolean {
  const rules = records(container.restartPolicyRules);
  if (rules.some((rule) => rule.action === 'Restart' && ruleApplies(rule, exitCode))) return true;
  const policy = isSet(container.restartPolicy) ? container.restartPolicy : podPolicy;
  if (isInit && !isSet(container.restartPolicy)) return policy !== 'Never' && exitCode !== 0;
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);
}

const mayNot = 'may not be transitioned to non-terminated state';

function listErrors(out: Out, pod: KubeObject, old: Plain, name: string, specName: string): void {
  const spec = record(pod.spec);
  const containers = firstByName(records(spec[specName]));
  const before = new Map(records(old[name]).map((status) => [text(status.name), status]));
  checkEach(out, records(record(pod.status)[name]), (out, status, i) => {
    const stored = before.get(text(status.name));
    const ended = stored === undefined ? undefined : terminated(stored);
    if (ended === undefined || terminated(status) !== undefined) return;
    const container = containers.get(status.name);
    const exitCode = integer(ended.exitCode);
    if (container !== undefined && specName !== 'ephemeralContainers') {
      if (isRestarted(container, spec.restartPolicy, specName === 'initContainers', exitCode)) return;
    }
    out.push(field.forbidden(`status.${name}[${i}].state`, mayNot));
  });
}

const restartsAll = (spec: Plain): boolean =>
  ['containers', 'initContainers'].some((name) =>
    records(spec[name]).some((container) =>
      records(container.restartPolicyRules).some((rule) => rule.action === 'RestartAllContainers'),
    ),
  );

/** A container that has ended for good does not run again. */
export function containerStateErrors(out: Out, pod: KubeObject, old: Plain): void {
  const spec = record(pod.spec);
  if (!restartsAll(spec)) {
    if (spec.restartPolicy !== 'Always') {
      listErrors(out, pod, old, 'containerStatuses', 'containers');
      listErrors(out, pod, old, 'initContainerStatuses', 'initContainers');
    }
  }
  listErrors(out, pod, old, 'ephemeralContainerStatuses', 'ephemeralContainers');
}
