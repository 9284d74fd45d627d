import { allEnded, inParallel } from '../servers/parallel.ts';
import { compare, compareOrder } from './compare.ts';
import { judge, type KnownDifference, type PlacedDifference } from './known-differences.ts';
import type { OpenServer } from './open-server.ts';
import { countByArea, type Report } from './report.ts';
import { runScenario, type ScenarioResult } from './run-scenario.ts';
import type { Scenario } from './scenario.ts';
import type { Webhooks } from './webhooks.ts';

/** The differences of one scenario between the reference and a chain. */
function differencesOf(name: string, reference: ScenarioResult, chain: ScenarioResult): PlacedDifference[] {
  const placed = reference.steps.flatMap(({ step, response }) => {
    const other = chain.steps.find((result) => result.step === step)?.response;
    return compare(response, other, 'response').map((difference) => ({ scenario: name, step, ...difference }));
  });
  const order = compareOrder(reference.versionOrder, chain.versionOrder);
  return order === undefined ? placed : [...placed, { scenario: name, step: 'all', ...order }];
}

export interface ComparisonOptions {
  readonly scenarios: readonly Scenario[];
  readonly known: readonly KnownDifference[];
  readonly webhooks: Webhooks;
  /** See RunOptions. */
  readonly run: string;
  /** The number of concurrent scenarios. */
  readonly concurrency: number;
  /** Aborts the comparison, which then rejects. */
  readonly signal: AbortSignal;
}

/**
 * Runs every scenario on all servers concurrently, and compares the responses of each server with those of the first one, the reference.
 * Rejects when a scenario cannot be run; no scenario keeps running in that case.
 */
export async function compareServers(servers: readonly OpenServer[], options: ComparisonOptions): Promise<Report> {
  const { scenarios, known, webhooks, run, concurrency, signal } = options;
  const [reference, ...chains] = servers;
  if (reference === undefined) throw new Error('there is no reference');
  const results = new Map<Scenario, ScenarioResult[]>();
  await inParallel(
    scenarios,
    async (scenario) => {
      const all = servers.map(({ client, administrator, name }) =>
        runScenario(scenario, { client, administrator, run, webhooks, target: name, signal }),
      );
      results.set(scenario, await allEnded(all));
    },
    concurrency,
  );
  const ran = scenarios.map((scenario) => {
    const [expected] = results.get(scenario) ?? [];
    return { ...scenario, steps: (expected?.steps ?? []).map(({ step }) => step) };
  });
  return {
    reference: { name: reference.name, version: reference.version },
    chains: chains.map(({ name, version }, index) => {
      const found = scenarios.flatMap((scenario) => {
        const [expected, ...others] = results.get(scenario) ?? [];
        const chain = others[index];
        return expected === undefined || chain === undefined ? [] : differencesOf(scenario.name, expected, chain);
      });
      const verdict = judge(found, known, new Set(scenarios.map((scenario) => scenario.name)));
      return { name, version, areas: countByArea(ran, verdict), ...verdict };
    }),
  };
}
