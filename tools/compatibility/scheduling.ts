/** Runs the same scenarios with kube-scheduler and with the scheduler of this project, and compares what becomes of the pods. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { RestClient, httpTransport, loadKubeconfig } from '@apichain/client';
import { errorMessage } from '@apichain/meta';
import { startScheduler } from '@apichain/scheduler';
import { startChain } from '@apichain/testing';
import type { Scenario, ScenarioResult } from '../../apps/e2e/src/scheduling/scenario.ts';
import { scenarios } from '../../apps/e2e/src/scheduling/scenarios.ts';
import { Stage } from '../../apps/e2e/src/scheduling/stage.ts';
import { flagsAndArguments, runCommand } from '../command/command.ts';
import { Process } from '../servers/process.ts';
import { replay } from './scheduling/replay.ts';

const usage = `usage: node tools/compatibility/scheduling.ts KUBE_SCHEDULER [--only REGEXP] [--record] [--random SEEDS]

Both run on a chain in this process. Fails if the nodes, conditions or events of a pod differ. --record writes what becomes of the pods with kube-scheduler
to apps/e2e/src/scheduling/recorded.json, with which the end-to-end tests compare; then run npm run format. --random compares the decisions about random
pods and nodes instead, 150 pods for each of so many seeds.`;

/** How long after a change a scheduler is taken to have seen it. */
const arrivalMs = 100;

/** How many random pods there are for a seed. */
const randomPods = 150;

const recordedFile = new URL('../../apps/e2e/src/scheduling/recorded.json', import.meta.url);

type Results = Map<string, ScenarioResult | string>;

/** What becomes of the pods of each scenario. A scenario that fails has its error as the result. */
async function runScenarios(
  chosen: readonly Scenario[],
  start: (kubeconfig: string) => Promise<RunningScheduler>,
): Promise<Results> {
  // Without this plugin, nodes are ready from the start and are seen in one state only.
  const chain = await startChain({ flags: ['--disable-admission-plugins=TaintNodesByCondition'] });
  const client = clientOf(chain.kubeconfigFile);
  const scheduler = await start(chain.kubeconfigFile);
  const results: Results = new Map();
  for (const [index, scenario] of chosen.entries()) {
    const stage = new Stage(client, `scenario-${index}`, () => sleep(arrivalMs));
    try {
      await stage.open();
      results.set(scenario.name, await scenario.run(stage));
    } catch (error) {
      results.set(scenario.name, errorMessage(error));
    }
    await stage.close();
  }
  await scheduler.stop();
  await client.close();
  await chain.stop();
  return results;
}

/** Compares the decisions about random pods. Returns the number of differences. */
async function compareRandom(program: string, seeds: number, log: string): Promise<number> {
  let count = 0;
  for (let seed = 1; seed <= seeds; seed++) {
    const chain = await startChain({ flags: ['--disable-admission-plugins=TaintNodesByCondition'] });
    const client = clientOf(chain.kubeconfigFile);
    const scheduler = await startKubeScheduler(program, chain.kubeconfigFile, log);
    const { same, differences } = await replay(client, seed, randomPods);
    console.log([`seed ${seed}: ${same} same, ${differences.length} different`, ...differences].join('\n'));
    count += differences.length;
    await scheduler.stop();
    await client.close();
    await chain.stop();
  }
  return count;
}

const parse = flagsAndArguments(1, {
  only: { type: 'string', default: '' },
  record: { type: 'boolean', default: false },
  random: { type: 'string' },
});

async function run({ values, arguments: [program = ''] }: ReturnType<typeof parse>): Promise<number> {
  const only = new RegExp(values.only);
  const chosen = scenarios.filter(({ name }) => only.test(name));
  const log = join(mkdtempSync(join(tmpdir(), 'apichain-scheduling-')), 'kube-scheduler.log');
  if (values.random !== undefined) return (await compareRandom(program, Number(values.random), log)) === 0 ? 0 : 1;
  const original = await runScenarios(chosen, (kubeconfig) => startKubeScheduler(program, kubeconfig, log));
  if (values.record) writeFileSync(recordedFile, `${JSON.stringify(Object.fromEntries(original), undefined, 2)}\n`);
  const ours = await runScenarios(chosen, startOwnScheduler);
  let differences = 0;
  for (const { name } of chosen) {
    const [theirs, own] = [original.get(name), ours.get(name)];
    const isSame = typeof theirs !== 'string' && isDeepStrictEqual(theirs, own);
    if (!isSame) differences++;
    console.log(`${isSame ? 'same     ' : 'DIFFERENT'}  ${name}`);
    if (!isSame)
      console.log(
        `kube-scheduler: ${JSON.stringify(theirs, undefined, 2)}\nours: ${JSON.stringify(own, undefined, 2)}`,
      );
  }
  console.log(`${chosen.length} scenarios, ${differences} differences; log of kube-scheduler: ${log}`);
  return differences === 0 ? 0 : 1;
}

/** A scheduler at work. */
interface RunningScheduler {
  stop(): Promise<void>;
}

/** A client with the rights of the kubeconfig file. */
const clientOf = (kubeconfig: string): RestClient =>
  new RestClient(httpTransport({ ...loadKubeconfig(kubeconfig), connections: 100, userAgent: 'scheduling' }));

/** Starts kube-scheduler. */
async function startKubeScheduler(program: string, kubeconfig: string, log: string): Promise<RunningScheduler> {
  const flags = [`--kubeconfig=${kubeconfig}`, '--leader-elect=false', '--secure-port=0', '-v=2'];
  return new Process([program, ...flags], log).start();
}

/** Starts the scheduler of this project. */
async function startOwnScheduler(kubeconfig: string): Promise<RunningScheduler> {
  const client = clientOf(kubeconfig);
  const stop = new AbortController();
  const log = {
    info: () => undefined,
    error: (message: string, fields?: object) => console.error(message, JSON.stringify(fields)),
  };
  const { synced, stopped } = startScheduler({ client, signal: stop.signal, log });
  await synced;
  return {
    async stop() {
      stop.abort();
      await stopped;
      await client.close();
    },
  };
}

await runCommand({ name: 'scheduling', usage, parse, run });
