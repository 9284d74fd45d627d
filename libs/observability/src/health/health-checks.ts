import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DelegationTarget } from '@apichain/delegation';
import { goQuote } from '@apichain/go-text';
import { errorMessage } from '@apichain/meta';
import { findScope, writeText, writeTextError, type PathMux } from '@apichain/request';

const allProbes: readonly Probe[] = ['healthz', 'livez', 'readyz'];

export interface HealthCheck {
  readonly name: string;
  /** A group that this check belongs to: excluding the group excludes the check. */
  readonly group?: string;
  /** Throws or rejects when unhealthy. The message is logged and sent by `/livez/<name>`, but not in the response to a probe of all checks. */
  check(): Promise<void> | void;
}

const nosniff = { 'X-Content-Type-Options': 'nosniff' };

/** The named checks of a server, and the handlers of `/healthz`, `/livez` and `/readyz`. */
export class HealthChecks {
  readonly #checks: Record<Probe, HealthCheck[]> = { healthz: [], livez: [], readyz: [] };
  readonly #report: (probe: Probe, failures: readonly string[]) => void;
  readonly #observe: (probe: Probe, name: string, healthy: boolean) => void;
  #paths: PathMux | undefined;
  #delegate: DelegationTarget | undefined;

  /** `report` gets the reasons of failed checks, one text per check; `observe` gets the result of each check of a probe. */
  constructor(
    report: (probe: Probe, failures: readonly string[]) => void,
    observe: (probe: Probe, name: string, healthy: boolean) => void = () => undefined,
  ) {
    this.#report = report;
    this.#observe = observe;
    this.add({ name: 'ping', check: () => undefined });
    this.add({ name: 'log', check: () => undefined });
  }

  /** Checks run in the order in which they are added. A check replaces an earlier one of the same name. */
  add(check: HealthCheck, probes: readonly Probe[] = allProbes): void {
    for (const probe of probes) {
      const checks = this.#checks[probe];
      const position = checks.findIndex((other) => other.name === check.name);
      if (position < 0) checks.push(check);
      else checks[position] = check;
      this.#installCheck(probe, check);
    }
  }

  /** Includes the checks of the next server of the chain. */
  include(delegate: DelegationTarget): void {
    this.#delegate = delegate;
  }

  install(paths: PathMux): void {
    this.#paths = paths;
    for (const probe of allProbes) {
      paths.handle(`/${probe}`, (_context, request, response) => this.#serve(probe, request, response));
      for (const check of this.#checks[probe]) this.#installCheck(probe, check);
    }
  }

  #installCheck(probe: Probe, check: HealthCheck): void {
    // The original has no path for these checks in the index at `/`.
    const isListed = probe !== 'readyz' || check.group?.startsWith('etcd') !== true;
    this.#paths?.handle(
      `/${probe}/${check.name}`,
      (_context, _request, response) => serveOne(check, response),
      isListed,
    );
  }

  async #serve(probe: Probe, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const query = findScope(request)?.query;
    const excluded = new Set(query?.all('exclude') ?? []);
    const { lines, failures } = await this.#run(probe, excluded);
    if (failures.length > 0) {
      this.#report(probe, failures);
      writeTextError(response, 500, `${lines.join('')}${probe} check failed`);
    } else if (query?.has('verbose') === true)
      writeText(response, 200, `${lines.join('')}${probe} check passed\n`, nosniff);
    else writeText(response, 200, 'ok', nosniff);
  }

  /** The name `delegate` stands for a next server that cannot be reached. */
  async #askDelegate(probe: Probe, excluded: ReadonlySet<string>): Promise<DelegateHealth> {
    const name = 'delegate';
    const nothing = nothingFurther(excluded);
    if (this.#delegate === undefined) return nothing;
    if (excluded.has(name)) return nothingFurther(new Set([...excluded].filter((other) => other !== name)));
    try {
      return (await delegateHealth(this.#delegate, probe, excluded)) ?? nothing;
    } catch {
      return { ...nothing, lines: new Map([[name, `[-]${name} failed: reason withheld\n`]]), failed: [name] };
    }
  }

  async #run(probe: Probe, excluded: ReadonlySet<string>): Promise<{ lines: string[]; failures: string[] }> {
    const own = new Map<string, string>();
    const failures: string[] = [];
    const unknown = new Set(excluded);
    for (const check of this.#checks[probe]) {
      if (excluded.has(check.name)) {
        unknown.delete(check.name);
        own.set(check.name, `[+]${check.name} excluded: ok\n`);
      } else if (check.group !== undefined && excluded.has(check.group)) {
        unknown.delete(check.group);
        own.set(check.name, `[+]${check.name} excluded with ${check.group}: ok\n`);
      } else {
        const failure = await outcome(check);
        this.#observe(probe, check.name, failure === undefined);
        if (failure === undefined) own.set(check.name, `[+]${check.name} ok\n`);
        else {
          own.set(check.name, `[-]${check.name} failed: reason withheld\n`);
          failures.push(`${check.name} failed: ${failure}`);
        }
      }
    }
    const next = await this.#askDelegate(probe, excluded);
    const lines = inOrder(next.lines, own);
    for (const name of next.failed) failures.push(`${name} failed: reason withheld by the next server`);
    for (const name of unknown) if (!next.unknown.has(goQuote(name))) unknown.delete(name);
    if (unknown.size > 0) {
      const names = [...unknown].sort().map(goQuote).join(',');
      lines.push(`warn: some health checks cannot be excluded: no matches for ${names}\n`);
    }
    return { lines, failures };
  }
}

/** The checks of every server, in kube-apiserver's order. */
const everywhere: readonly string[] = [
  'ping',
  'log',
  'loopback-serving-certificate',
  'etcd',
  'etcd-readiness',
  'etcd-override',
  'informer-sync',
  'poststarthook/start-apiserver-admission-initializer',
  'poststarthook/generic-apiserver-start-informers',
  'poststarthook/priority-and-fairness-config-consumer',
  'poststarthook/priority-and-fairness-filter',
  'poststarthook/storage-object-count-tracker-hook',
];
const last = 'shutdown';

/** The lines of a chain: first the checks of all servers, then those of the next servers, then this server's. */
function inOrder(behind: ReadonlyMap<string, string>, own: ReadonlyMap<string, string>): string[] {
  const lines = new Map(behind);
  for (const [name, line] of own) if (lines.get(name)?.startsWith('[-]') !== true) lines.set(name, line);
  const rank = (name: string): number => {
    if (name === last) return everywhere.length + 1;
    const known = everywhere.indexOf(name.startsWith('etcd-override-') ? 'etcd-override' : name);
    return known < 0 ? everywhere.length : known;
  };
  return [...lines].sort(([a], [b]) => rank(a) - rank(b)).map(([, line]) => line);
}

const nothingFurther = (excluded: ReadonlySet<string>): DelegateHealth => ({
  lines: new Map(),
  failed: [],
  unknown: new Set([...excluded].map(goQuote)),
});

async function outcome(check: HealthCheck): Promise<string | undefined> {
  try {
    await check.check();
    return undefined;
  } catch (error) {
    return errorMessage(error);
  }
}

async function serveOne(check: HealthCheck, response: ServerResponse): Promise<void> {
  const failure = await outcome(check);
  if (failure === undefined) writeText(response, 200, 'ok');
  else writeTextError(response, 500, `internal server error: ${failure}`);
}

/** The response of the next server of the chain to a probe. */
interface DelegateHealth {
  /** The lines of its checks, as `?verbose` shows them, by the name of the check. */
  readonly lines: ReadonlyMap<string, string>;
  /** Names of checks that failed. */
  readonly failed: readonly string[];
  /** The excluded names that the next server does not know, quoted. */
  readonly unknown: ReadonlySet<string>;
}

const checkLine = /^\[[+-]\](\S+) .*$/;
const unknownLine = /^warn: some health checks cannot be excluded: no matches for (.*)$/;

/**
 * Probes the next server. For clients the chain is one server with all checks. The liveness of a next server in another process is probed by
 * its own supervisor, and not from here. Undefined if it is not probed. Rejects when it cannot be reached.
 */
export async function delegateHealth(
  delegate: DelegationTarget,
  probe: Probe,
  excluded: ReadonlySet<string>,
): Promise<DelegateHealth | undefined> {
  const inProcess = delegate.serves !== undefined;
  if (!inProcess && probe === 'livez') return undefined;
  const query = new URLSearchParams({ verbose: '' });
  for (const name of excluded) query.append('exclude', name);
  const { status, body } = await delegate.fetch(`/${probe}?${query.toString()}`);
  const lines = new Map<string, string>();
  const failed: string[] = [];
  const unknown = new Set<string>();
  for (const line of body.toString().split('\n')) {
    const name = checkLine.exec(line)?.[1];
    if (name !== undefined) {
      lines.set(name, `${line}\n`);
      if (line.startsWith('[-]')) failed.push(name);
    }
    const names = unknownLine.exec(line)?.[1];
    if (names !== undefined)
      for (const quoted of [...excluded].map(goQuote)) if (`,${names},`.includes(`,${quoted},`)) unknown.add(quoted);
  }
  if (status !== 200 && failed.length === 0)
    throw new Error(`the next server in the chain is not ready: code ${status}`);
  return { lines, failed, unknown };
}

/** The probes a check may be part of: https://kubernetes.io/docs/reference/using-api/health-checks/ */
export type Probe = 'healthz' | 'livez' | 'readyz';
