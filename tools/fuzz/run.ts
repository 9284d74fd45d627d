import { judge, type Finding } from './finding.ts';
import { generate } from './generate.ts';
import { minimize } from './minimize.ts';
import { customResourceDefinition } from './objects.ts';
import type { FuzzRequest } from './request.ts';
import type { Target } from './target.ts';

export interface RunOptions {
  readonly seed: number;
  /** The run ends when either limit is reached. */
  readonly requests: number;
  readonly seconds: number;
  readonly connections: number;
  readonly namespace: string;
  /** Sends only the request with this index. */
  readonly only?: number;
  readonly minimize: boolean;
}

export interface RunReport {
  readonly sent: number;
  /** The number of responses by status. */
  readonly statuses: ReadonlyMap<number, number>;
  readonly findings: readonly Finding[];
  /** The slowest request and its duration in milliseconds. */
  readonly slowest: { readonly index: number; readonly time: number };
}

/** The run ends when there are this many different findings. */
const maxFindings = 20;

const json = (method: string, path: string, value: unknown): FuzzRequest => ({
  method,
  path,
  query: [],
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify(value)),
});

const liveness: FuzzRequest = { method: 'GET', path: '/livez', query: [], headers: {} };

/** Creates the namespace and the definition that the requests use. It is no error if they exist already or cannot be created. */
async function prepare(target: Target, namespace: string): Promise<void> {
  const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
  await target.send(json('POST', '/api/v1/namespaces', object));
  await target.send(json('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', customResourceDefinition));
}

/** Sends the requests of a seed and collects the findings. */
export async function run(target: Target, options: RunOptions): Promise<RunReport> {
  const { seed, namespace } = options;
  const findings = new Map<string, Finding>();
  const statuses = new Map<number, number>();
  const end = Date.now() + options.seconds * 1000;
  const last = options.only ?? options.requests - 1;
  let next = options.only ?? 0;
  let sent = 0;
  let slowest = { index: 0, time: 0 };

  const sendOne = async (index: number) => {
    const request = generate(seed, index, { namespace });
    const start = performance.now();
    const outcome = await target.send(request);
    const time = performance.now() - start;
    if (time > slowest.time && !request.query.includes('watch=true')) slowest = { index, time };
    sent++;
    if (outcome.kind === 'response') statuses.set(outcome.status, (statuses.get(outcome.status) ?? 0) + 1);
    const problem = judge(outcome);
    if (problem !== undefined && !findings.has(problem.key)) findings.set(problem.key, { ...problem, index, request });
  };
  const work = async () => {
    while (next <= last && Date.now() < end && findings.size < maxFindings) await sendOne(next++);
  };

  await prepare(target, namespace);
  await Promise.all(Array.from({ length: options.connections }, work));
  const alive = judge(await target.send(liveness));
  const found = [...findings.values()];
  if (alive !== undefined) found.push({ ...alive, index: sent, request: liveness });
  if (!options.minimize || alive !== undefined) return { sent, statuses, findings: found, slowest };
  const small: Finding[] = [];
  for (const finding of found) {
    // A finding that takes a whole timeout to reproduce gets fewer attempts.
    const attempts = finding.key === 'timeout' ? 5 : 150;
    small.push({ ...finding, request: await minimize(target, finding.request, finding.key, attempts) });
  }
  return { sent, statuses, findings: small, slowest };
}
