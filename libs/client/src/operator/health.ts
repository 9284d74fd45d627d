import { errorText, type Logger } from '../log.ts';
import { parseBindAddress, serveEndpoints, type Endpoint, type EndpointServer } from '../serve-endpoints.ts';

/** Throws, or rejects, when something is not as it should be. */
export type HealthCheck = () => void | Promise<void>;

type Checks = Readonly<Record<string, HealthCheck>>;

/** /healthz and /livez with some checks and /readyz with others, as the health probes of controller-runtime respond. Failures are logged. */
export function healthEndpoints(healthz: Checks, readyz: Checks, log: Logger): Readonly<Record<string, Endpoint>> {
  return {
    '/healthz': endpointOf('healthz', healthz, log),
    '/livez': endpointOf('livez', healthz, log),
    '/readyz': endpointOf('readyz', readyz, log),
  };
}

function endpointOf(name: string, checks: Checks, log: Logger): Endpoint {
  return async () => {
    const lines = await Promise.all(Object.entries(checks).map(([check, run]) => lineOf(check, run, log)));
    if (lines.every((line) => line.startsWith('[+]'))) return { code: 200, text: 'ok' };
    return { code: 500, text: [...lines, `${name} check failed`, ''].join('\n') };
  };
}

async function lineOf(check: string, run: HealthCheck, log: Logger): Promise<string> {
  try {
    await run();
    return `[+]${check} ok`;
  } catch (error) {
    log.info('healthz check failed', { check, error: errorText(error) });
    return `[-]${check} failed: reason withheld`;
  }
}

/** Serves endpoints at the address that an option has. Throws Error for a text that is none, and Node's error when it cannot be listened on. */
export function serveOn(
  option: string,
  text: string,
  endpoints: Readonly<Record<string, Endpoint>>,
): Promise<EndpointServer> {
  const address = parseBindAddress(text);
  if (address === undefined)
    throw new Error(`${option}: ${JSON.stringify(text)} is not an address and a port such as :8081`);
  return serveEndpoints(address, endpoints);
}
