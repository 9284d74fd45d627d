import type {
  Container,
  ContainerResizePolicy,
  ContainerRestartRuleOnExitCodes,
  ResourceClaim,
  ResourceRequirements,
} from '@apichain/api/core/v1';
import { field, isDNS1123Label } from '@apichain/meta';
import { isSet } from '@apichain/kinds';
import { containerResourceName, resourceListErrors } from '../common/resources.ts';
import { checkEach, optionalName, type Out, requiredChoice, strictChoice } from '../common/rules.ts';

function notFoundDetail(claims: ReadonlySet<string>): string {
  const names = claims.size === 0 ? ' which is empty' : `: ${[...claims].sort().join(', ')}`;
  return `must be one of the names in pod.spec.resourceClaims${names}`;
}

/** Checks a container's references to resource claims of the pod, to a whole claim or to one of its requests. */
export function claimErrors(
  out: Out,
  path: string,
  claims: readonly ResourceClaim[] | undefined,
  ofPod: ReadonlySet<string>,
): void {
  const whole = new Set<string>();
  const parts = new Map<string, Set<string>>();
  checkEach(out, claims ?? [], (out, claim, i) => {
    const at = `${path}[${i}]`;
    const name = claim.name ?? '';
    const request = claim.request ?? '';
    if (name === '') {
      out.push(field.required(at));
      return;
    }
    const known = parts.get(name) ?? new Set<string>();
    if (whole.has(name)) out.push(field.duplicate(at, name));
    else if (request === '') {
      // A reference to the whole claim duplicates each reference to one of its requests.
      out.push(...Array.from(known, () => field.duplicate(at, name)));
      whole.add(name);
    } else {
      optionalName(out, `${at}.request`, request, isDNS1123Label);
      if (known.has(request)) out.push(field.duplicate(at, `${name}/${request}`));
      parts.set(name, known.add(request));
    }
    if (ofPod.has(name)) return;
    const missing = field.notFound(at, name);
    out.push({ ...missing, message: `${missing.message}: ${notFoundDetail(ofPod)}` });
  });
}

export function containerResourceErrors(
  out: Out,
  path: string,
  resources: ResourceRequirements | undefined,
  claims: ReadonlySet<string>,
): void {
  if (!isSet(resources)) return;
  resourceListErrors(out, path, resources, containerResourceName);
  claimErrors(out, `${path}.claims`, resources.claims, claims);
}

/** Checks what a change of resources does to a running container. */
export function resizePolicyErrors(
  out: Out,
  path: string,
  policies: readonly ContainerResizePolicy[] | undefined,
  podRestartPolicy: string | undefined,
): void {
  const seen = new Set<string>();
  checkEach(out, policies ?? [], (out, policy, i) => {
    const name = policy.resourceName ?? '';
    if (seen.has(name)) out.push(field.duplicate(`${path}[${i}]`, name));
    seen.add(name);
    requiredChoice(out, path, policy.resourceName, ['cpu', 'memory']);
    requiredChoice(out, path, policy.restartPolicy, ['NotRequired', 'RestartContainer']);
    if (podRestartPolicy === 'Never' && policy.restartPolicy !== 'NotRequired') {
      const detail = "must be 'NotRequired' when pod `restartPolicy` is 'Never'";
      out.push(field.invalid(path, policy.restartPolicy ?? '', detail));
    }
  });
}

const mostRules = 20;
const mostExitCodes = 255;

/** Checks the restart policy of a single container. The rules of an init container without a policy are not checked. */
export function restartRuleErrors(out: Out, path: string, container: Container, init = false): void {
  const rules = container.restartPolicyRules ?? [];
  if (!isSet(container.restartPolicy)) {
    if (rules.length > 0) {
      out.push(field.required(`${path}.restartPolicy`, 'must specify restartPolicy when restart rules are used'));
    }
    if (init) return;
  } else if (!['Always', 'Never', 'OnFailure'].includes(container.restartPolicy)) {
    out.push(field.notSupported(`${path}.restartPolicy`, container.restartPolicy, ['Always', 'Never', 'OnFailure']));
  }
  const at = `${path}.restartPolicyRules`;
  if (rules.length > mostRules) out.push(field.tooMany(at, rules.length, mostRules));
  checkEach(out, rules, (out, rule, i) => {
    strictChoice(out, `${at}[${i}].action`, rule.action, ['Restart', 'RestartAllContainers']);
    exitCodeErrors(out, `${at}[${i}].exitCodes`, rule.exitCodes);
  });
}

function exitCodeErrors(out: Out, path: string, exitCodes: ContainerRestartRuleOnExitCodes | undefined): void {
  if (!isSet(exitCodes)) {
    out.push(field.required(path, 'must be specified'));
    return;
  }
  strictChoice(out, `${path}.operator`, exitCodes.operator, ['In', 'NotIn']);
  const count = (exitCodes.values ?? []).length;
  if (count > mostExitCodes) out.push(field.tooMany(`${path}.values`, count, mostExitCodes));
}
