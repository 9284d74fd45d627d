/**
 * Measures how the rates of a server grow with the number of its workers, on a machine with few cores: each worker gets a share of a core. Servers that
 * use several cores in one process get the shares of all together. Prints a Markdown table of each workload: rates, and ratios to the first number of
 * workers. Needs the rights of root.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { flags, runCommand, UsageError } from '../command/command.ts';
import { Figures, format, markdownTable } from '../command/table.ts';
import { memoryMiB, processTree, programName } from '../servers/processes.ts';
import { ProcessorShares } from '../servers/processor-share.ts';
import { readDescription } from '../servers/server.ts';
import { Target } from './target.ts';
import { measure, type Scale } from './workloads.ts';

const usage = `usage: node tools/bench/workers.ts --target FILE [--target FILE ...] [options]

A FILE says how to start a server (tools/bench/servers): apichain, which gets --workers, or one with the member
"parallelism", the environment variable with which its process is told the number of cores.

  --workers LIST  the numbers of workers (1,2,4)
  --share CORES   of a core, for each worker (0.25)
  --rounds N      how often each is measured (1)
  --etcd FILE     the etcd that servers are started with (etcd)`;

const options = flags({
  target: { type: 'string', multiple: true },
  workers: { type: 'string', default: '1,2,4' },
  share: { type: 'string', default: '0.25' },
  rounds: { type: 'string', default: '1' },
  etcd: { type: 'string', default: 'etcd' },
});

/** Small enough for a quarter of a core. */
const scale: Scale = {
  pods: 1_000,
  requests: 3_000,
  listRequests: 40,
  listsInFlight: 16,
  loneRequests: 10,
  watchers: 100,
  updates: 300,
  inFlight: 64,
};
const shown: readonly string[] = ['CREATE pods', 'GET', 'GET, resourceVersion=0', 'LIST all', 'PATCH'];
const last = `watch events, ${scale.watchers} watchers`;
const warmUp: Scale = { ...scale, pods: 500, requests: 1_000, watchers: 10, updates: 100 };
const memory = 'memory of all processes, idle, MiB';
/** The programs of apichain that serve requests. */
const services: readonly string[] = ['aggregator', 'kube-core', 'apiextensions', 'chain', 'chain-main', 'apichain'];
const idleMs = 5_000;

function parse(args: readonly string[]) {
  const values = options(args);
  if (values.target === undefined) throw new UsageError('name at least one server');
  const workers = values.workers.split(',').map(Number);
  if (workers.some((count) => !Number.isInteger(count) || count < 1)) throw new UsageError('--workers: no numbers');
  const share = Number(values.share);
  if (!(share > 0 && share <= 1)) throw new UsageError('--share: not a part of a core');
  return { ...values, workers, share, targets: values.target.map((file) => readDescription('target', file)) };
}

type Values = ReturnType<typeof parse>;

/** The processes that serve: those of a service that have started no other process of it. */
function workersIn(pids: readonly number[]): number[] {
  const serving = pids.filter((pid) => services.includes(programName(pid)));
  const supervises = (pid: number) => processTree(pid).some((other) => other !== pid && serving.includes(other));
  return serving.filter((pid) => !supervises(pid));
}

async function bench({ targets, workers, share, rounds, etcd }: Values): Promise<void> {
  const figures = new Figures();
  const nameOf = (target: string, count: number) => `${target}, ${count}`;
  const measureOne = async ({ name, command, parallelism }: Values['targets'][number], count: number) => {
    const isOneProcess = typeof parallelism === 'string';
    const started = isOneProcess ? ['env', `${parallelism}=${count}`, ...command] : [...command, `--workers=${count}`];
    const target = await Target.open({ name, command: started }, scale.watchers + scale.inFlight, etcd);
    const shares = new ProcessorShares();
    const note = (workload: string, value: number) => {
      console.error(`  ${workload}: ${format(value)}`);
      figures.add(workload, nameOf(name, count), value);
    };
    try {
      await sleep(idleMs);
      note(memory, memoryMiB(target.pids));
      // With a part of a core, compiling what the first requests run would be measured for minutes.
      for await (const { workload } of measure(target, warmUp)) if (workload.startsWith('watch events')) break;
      const pids = isOneProcess ? target.pids : workersIn(target.pids);
      if (isOneProcess) shares.limit(pids, share * count);
      else for (const pid of pids) shares.limit([pid], share);
      for await (const { workload, value } of measure(target, scale)) {
        if (shown.includes(workload) || workload === last) note(workload, value);
        if (workload === last) break;
      }
    } finally {
      await target.close();
      shares.remove();
    }
  };
  for (let round = 1; round <= Number(rounds); round++)
    for (const target of targets)
      for (const count of workers) {
        console.error(`round ${round} of ${rounds}: ${target.name}, ${count} workers`);
        await measureOne(target, count);
      }
  const columns = targets.flatMap(({ name }) => workers.map((count) => ({ name, count })));
  const rows = [...shown, last, memory].map((workload) => [
    workload,
    ...columns.map(({ name, count }) => {
      const value = figures.median(workload, nameOf(name, count));
      const ratio = value / figures.median(workload, nameOf(name, workers[0] ?? 1));
      return `${format(value)} (${ratio.toFixed(2)}x)`;
    }),
  ]);
  console.log(markdownTable(['workload', ...columns.map(({ name, count }) => nameOf(name, count))], rows, 1));
}

await runCommand({ name: 'bench', usage, parse, run: bench, failure: 1 });
