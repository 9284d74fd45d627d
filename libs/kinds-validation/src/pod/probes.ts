import { field, isHTTPHeaderName, isValidPortNum, lookupTable } from '@apichain/meta';
import { integer, isSet, list, type Plain, record, records, text } from '@apichain/kinds';
import { portOrName } from '../common/formats.ts';
import { checkEach, invalidEach, nonNegatives, type Out, requiredText, strictChoice } from '../common/rules.ts';

type HandlerCheck = (out: Out, path: string, handler: Plain) => void;

const handlers: Readonly<Record<string, HandlerCheck>> = lookupTable({
  exec: (out, path, handler) => {
    if (list(handler.command).length === 0) out.push(field.required(`${path}.command`));
  },
  httpGet: (out, path, handler) => {
    requiredText(out, `${path}.path`, handler.path);
    portOrName(out, `${path}.port`, handler.port);
    strictChoice(out, `${path}.scheme`, handler.scheme, ['HTTP', 'HTTPS']);
    checkEach(out, records(handler.httpHeaders), (out, header) => {
      invalidEach(out, `${path}.httpHeaders`, text(header.name), isHTTPHeaderName(text(header.name)));
    });
  },
  tcpSocket: (out, path, handler) => portOrName(out, `${path}.port`, handler.port),
  grpc: (out, path, handler) => {
    invalidEach(out, `${path}.port`, integer(handler.port), isValidPortNum(integer(handler.port)));
  },
});

const probeHandlers = ['exec', 'httpGet', 'tcpSocket', 'grpc'];
const lifecycleHandlers = ['exec', 'httpGet', 'tcpSocket', 'sleep'];

/** Exactly one handler, and that one right. */
function handlerErrors(out: Out, path: string, holder: Plain, names: readonly string[], grace?: unknown): void {
  let given = 0;
  for (const name of names) {
    if (!isSet(holder[name])) continue;
    given++;
    if (given > 1) out.push(field.forbidden(`${path}.${name}`, 'may not specify more than 1 handler type'));
    else if (name === 'sleep') sleepErrors(out, `${path}.sleep`, record(holder.sleep), grace);
    else handlers[name]?.(out, `${path}.${name}`, record(holder[name]));
  }
  if (given === 0) out.push(field.required(path, 'must specify a handler type'));
}

function sleepErrors(out: Out, path: string, sleep: Plain, grace: unknown): void {
  const seconds = integer(sleep.seconds);
  if (!isSet(grace) || (seconds >= 0 && seconds <= integer(grace))) return;
  const detail = `must be non-negative and less than terminationGracePeriodSeconds (${integer(grace)})`;
  out.push(field.invalid(path, seconds, detail));
}

const counters = ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'];

function probeErrors(out: Out, path: string, value: unknown): void {
  const probe = record(value);
  handlerErrors(out, path, probe, probeHandlers);
  nonNegatives(out, path, probe, counters);
  if (isSet(probe.terminationGracePeriodSeconds) && integer(probe.terminationGracePeriodSeconds) <= 0) {
    const at = `${path}.terminationGracePeriodSeconds`;
    out.push(field.invalid(at, probe.terminationGracePeriodSeconds, 'must be greater than 0'));
  }
}

function succeedsOnce(out: Out, path: string, value: unknown): void {
  const threshold = integer(record(value).successThreshold);
  if (threshold !== 1) out.push(field.invalid(`${path}.successThreshold`, threshold, 'must be 1'));
}

/** Liveness, readiness and startup probes of a container. */
export function containerProbeErrors(out: Out, path: string, container: Plain): void {
  const { livenessProbe, readinessProbe, startupProbe } = container;
  if (isSet(livenessProbe)) {
    probeErrors(out, `${path}.livenessProbe`, livenessProbe);
    succeedsOnce(out, `${path}.livenessProbe`, livenessProbe);
  }
  if (isSet(readinessProbe)) {
    const at = `${path}.readinessProbe`;
    probeErrors(out, at, readinessProbe);
    const grace = record(readinessProbe).terminationGracePeriodSeconds;
    if (isSet(grace)) {
      out.push(field.invalid(`${at}.terminationGracePeriodSeconds`, grace, 'must not be set for readinessProbes'));
    }
  }
  if (isSet(startupProbe)) {
    probeErrors(out, `${path}.startupProbe`, startupProbe);
    succeedsOnce(out, `${path}.startupProbe`, startupProbe);
  }
}

/** What runs after start and before stop. `grace` is the pod's termination grace period in seconds. */
export function lifecycleErrors(out: Out, path: string, value: unknown, grace: unknown): void {
  if (!isSet(value)) return;
  const lifecycle = record(value);
  for (const name of ['postStart', 'preStop']) {
    if (isSet(lifecycle[name])) {
      handlerErrors(out, `${path}.${name}`, record(lifecycle[name]), lifecycleHandlers, grace);
    }
  }
}
