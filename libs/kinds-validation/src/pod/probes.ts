import type { Container, HTTPGetAction, Lifecycle, LifecycleHandler, Probe, SleepAction } from '@apichain/api/core/v1';
import type { Int64 } from '@apichain/api/scalars';
import { field, integer, isHTTPHeaderName, isValidPortNum } from '@apichain/meta';
import { isSet } from '@apichain/kinds';
import { portOrName } from '../common/formats.ts';
import { checkEach, invalidEach, nonNegatives, type Out, requiredText, strictChoice } from '../common/rules.ts';

/** In the order of the API server. Probes have no `sleep`, hooks no `grpc`. */
const handlerNames = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'] as const;
type Handlers = Pick<Probe & LifecycleHandler, (typeof handlerNames)[number]>;

function httpGetErrors(out: Out, path: string, action: HTTPGetAction): void {
  requiredText(out, `${path}.path`, action.path);
  portOrName(out, `${path}.port`, action.port);
  strictChoice(out, `${path}.scheme`, action.scheme, ['HTTP', 'HTTPS']);
  checkEach(out, action.httpHeaders ?? [], (out, { name = '' }) => {
    invalidEach(out, `${path}.httpHeaders`, name, isHTTPHeaderName(name));
  });
}

/** Checks the first handler that is set. `grace` is the pod's termination grace period in seconds. */
function firstHandlerErrors(out: Out, path: string, handlers: Handlers, grace: Int64 | undefined): void {
  const { exec, httpGet, tcpSocket, grpc, sleep } = handlers;
  if (isSet(exec)) {
    if ((exec.command ?? []).length === 0) out.push(field.required(`${path}.exec.command`));
  } else if (isSet(httpGet)) httpGetErrors(out, `${path}.httpGet`, httpGet);
  else if (isSet(tcpSocket)) portOrName(out, `${path}.tcpSocket.port`, tcpSocket.port);
  else if (isSet(grpc)) invalidEach(out, `${path}.grpc.port`, grpc.port ?? 0, isValidPortNum(grpc.port ?? 0));
  else if (isSet(sleep)) sleepErrors(out, `${path}.sleep`, sleep, grace);
  else out.push(field.required(path, 'must specify a handler type'));
}

/** Exactly one handler must be set, and it must be valid. */
function handlerErrors(out: Out, path: string, handlers: Handlers, grace?: Int64): void {
  firstHandlerErrors(out, path, handlers, grace);
  let given = 0;
  for (const name of handlerNames) {
    if (!isSet(handlers[name])) continue;
    given++;
    if (given > 1) out.push(field.forbidden(`${path}.${name}`, 'may not specify more than 1 handler type'));
  }
}

function sleepErrors(out: Out, path: string, sleep: SleepAction, grace: Int64 | undefined): void {
  const seconds = integer(sleep.seconds);
  if (!isSet(grace) || (seconds >= 0 && seconds <= integer(grace))) return;
  const detail = `must be non-negative and less than terminationGracePeriodSeconds (${integer(grace)})`;
  out.push(field.invalid(path, seconds, detail));
}

const counters = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
] as const satisfies readonly (keyof Probe)[];

function probeErrors(out: Out, path: string, probe: Probe): void {
  handlerErrors(out, path, probe);
  nonNegatives(out, path, probe, counters);
  if (isSet(probe.terminationGracePeriodSeconds) && integer(probe.terminationGracePeriodSeconds) <= 0) {
    const at = `${path}.terminationGracePeriodSeconds`;
    out.push(field.invalid(at, probe.terminationGracePeriodSeconds, 'must be greater than 0'));
  }
}

function succeedsOnce(out: Out, path: string, probe: Probe): void {
  const threshold = probe.successThreshold ?? 0;
  if (threshold !== 1) out.push(field.invalid(`${path}.successThreshold`, threshold, 'must be 1'));
}

/** Checks the liveness, readiness and startup probes of a container. */
export function containerProbeErrors(out: Out, path: string, container: Container): void {
  const { livenessProbe, readinessProbe, startupProbe } = container;
  if (isSet(livenessProbe)) {
    probeErrors(out, `${path}.livenessProbe`, livenessProbe);
    succeedsOnce(out, `${path}.livenessProbe`, livenessProbe);
  }
  if (isSet(readinessProbe)) {
    const at = `${path}.readinessProbe`;
    probeErrors(out, at, readinessProbe);
    const grace = readinessProbe.terminationGracePeriodSeconds;
    if (isSet(grace)) {
      out.push(field.invalid(`${at}.terminationGracePeriodSeconds`, grace, 'must not be set for readinessProbes'));
    }
  }
  if (isSet(startupProbe)) {
    probeErrors(out, `${path}.startupProbe`, startupProbe);
    succeedsOnce(out, `${path}.startupProbe`, startupProbe);
  }
}

/** Checks the postStart and preStop hooks. `grace` is the pod's termination grace period in seconds. */
export function lifecycleErrors(
  out: Out,
  path: string,
  lifecycle: Lifecycle | undefined,
  grace: Int64 | undefined,
): void {
  const { postStart, preStop } = lifecycle ?? {};
  if (isSet(postStart)) handlerErrors(out, `${path}.postStart`, postStart, grace);
  if (isSet(preStop)) handlerErrors(out, `${path}.preStop`, preStop, grace);
}
