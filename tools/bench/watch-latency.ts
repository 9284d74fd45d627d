/**
 * Measures how long after the answer of a write the watches have its event, with many watches and writers. Targets are started in turn, in several
 * rounds; a figure is the median of the rounds. A delay below zero means that the event came before the answer.
 *
 *   node tools/bench/watch-latency.ts --target tools/bench/servers/kube-apiserver.json --target tools/bench/servers/apichain.json --etcd PATH
 */
import { parseArgs } from 'node:util';
import { errorMessage } from '@apichain/meta';
import { http1Client, http2Client } from './latency/client.ts';
import { prepareObjects } from './latency/objects.ts';
import { runScenario, type Outcome, type Scenario } from './latency/scenario.ts';
import { Server } from './server.ts';
import { parseTarget, type StartedTarget } from './target.ts';

const usage = `usage: node tools/bench/watch-latency.ts --target FILE [--target FILE ...] [options]

A FILE says how to start a server (tools/bench/servers).

  --watches LIST   numbers of watches (10,100,500), of pods, config maps and custom resources in turn
  --writers LIST   numbers of writers (1,16,64)
  --pace N         writes per second of all writers together (each writes as fast as it gets answers)
  --http2          watches and writes share connections over HTTP/2 (each has a connection)
  --rounds N       how often each server is measured (3)
  --seconds N      how long each measurement writes (4)
  --etcd FILE      the etcd that servers are started with (etcd)`;

const values = optionsOrExit();
if (values.help) {
  console.log(usage);
  process.exit(0);
}
const targets = (values.target ?? []).map((text) => targetOrExit(text));
if (targets.length === 0) {
  console.error(`name at least one server\n\n${usage}`);
  process.exit(1);
}

const numbers = (list: string) => list.split(',').map(Number);
const scenarios: Scenario[] = numbers(values.watches).flatMap((watches) =>
  numbers(values.writers).map((writers) => ({
    watches,
    writers,
    pace: Number(values.pace),
    seconds: Number(values.seconds),
  })),
);

interface Row {
  readonly target: string;
  readonly scenario: Scenario;
  readonly figures: Readonly<Record<string, number>>[];
}
const rows: Row[] = scenarios.flatMap((scenario) =>
  targets.map((target) => ({ target: target.name, scenario, figures: [] })),
);

for (let round = 1; round <= Number(values.rounds); round++) {
  for (const target of targets) {
    console.error(`round ${String(round)}: ${target.name}`);
    await measure(target);
  }
}
print();

async function measure({ name, command }: StartedTarget): Promise<void> {
  const server = await Server.start({ command, etcdBinary: values.etcd });
  try {
    const preparing = http1Client(server, 1);
    await prepareObjects(preparing, Math.max(...scenarios.map(({ writers }) => writers)));
    await preparing.close();
    for (const scenario of scenarios) {
      const client = values.http2 ? http2Client(server) : http1Client(server, scenario.watches + scenario.writers);
      const outcome = await runScenario(client, scenario, () => server.processorMs());
      await client.close();
      const figures = figuresOf(outcome);
      rows.find((row) => row.target === name && row.scenario === scenario)?.figures.push(figures);
      console.error(`  ${label(scenario)}: ${JSON.stringify(figures)}`);
    }
  } finally {
    await server.stop();
  }
}

function figuresOf(outcome: Outcome): Record<string, number> {
  const { delays, writeTimes, writes, events, seconds, processorMs } = outcome;
  const later = (ms: number) => (delays.filter((delay) => delay > ms).length / delays.length) * 100;
  return {
    'writes/s': writes / seconds,
    'events/s': events / seconds,
    'write p50': quantile(writeTimes, 0.5),
    'write p99': quantile(writeTimes, 0.99),
    p50: quantile(delays, 0.5),
    p90: quantile(delays, 0.9),
    p99: quantile(delays, 0.99),
    max: delays.at(-1) ?? Number.NaN,
    '>1 ms %': later(1),
    '>5 ms %': later(5),
    '>20 ms %': later(20),
    'processor us/write': (processorMs * 1_000) / writes,
    'generator busy %': outcome.generatorBusy * 100,
  };
}

function quantile(sorted: Float64Array, q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}

function median(list: readonly number[]): number {
  return quantile(Float64Array.from(list).sort(), 0.5);
}

function label({ watches, writers }: Scenario): string {
  return `${String(watches)} watches, ${String(writers)} writers`;
}

function print(): void {
  const names = Object.keys(rows[0]?.figures[0] ?? {});
  console.log(`| watches, writers | server | ${names.join(' | ')} |`);
  console.log(`|---|---|${names.map(() => '---:|').join('')}`);
  for (const { target, scenario, figures } of rows) {
    const cells = names.map((name) => format(median(figures.map((of) => of[name] ?? Number.NaN))));
    console.log(`| ${label(scenario)} | ${target} | ${cells.join(' | ')} |`);
  }
}

function format(value: number): string {
  return Math.abs(value) >= 100 ? value.toFixed(0) : Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(2);
}

function optionsOrExit() {
  try {
    return parseArgs({
      options: {
        help: { type: 'boolean', short: 'h', default: false },
        target: { type: 'string', multiple: true },
        watches: { type: 'string', default: '10,100,500' },
        writers: { type: 'string', default: '1,16,64' },
        pace: { type: 'string', default: '0' },
        http2: { type: 'boolean', default: false },
        rounds: { type: 'string', default: '3' },
        seconds: { type: 'string', default: '4' },
        etcd: { type: 'string', default: 'etcd' },
      },
    }).values;
  } catch (error) {
    console.error(`${errorMessage(error)}\n\n${usage}`);
    process.exit(2);
  }
}

function targetOrExit(text: string): StartedTarget {
  try {
    const target = parseTarget(text);
    if ('command' in target) return target;
    throw new Error(`--target: ${text} is not a file that says how to start a server`);
  } catch (error) {
    console.error(`watch-latency: ${errorMessage(error)}`);
    process.exit(1);
  }
}
