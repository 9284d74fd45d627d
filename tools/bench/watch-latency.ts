/**
 * Measures how long after the response to a write the watches have its event, with many watches and writers. Targets are started in turn, in several
 * rounds; a figure is the median of the rounds. A delay below zero means that the event came before the response.
 *
 *   node tools/bench/watch-latency.ts --target tools/bench/servers/kube-apiserver.json --target tools/bench/servers/apichain.json --etcd PATH
 */
import { flags, runCommand } from '../command/command.ts';
import { format, markdownTable, median, quantile } from '../command/table.ts';
import { Server, type ServerDescription } from '../servers/server.ts';
import { HttpClient } from './exchange.ts';
import { http2Client } from './latency/client.ts';
import { prepareObjects } from './latency/objects.ts';
import { runScenario, type Outcome, type Scenario } from './latency/scenario.ts';
import { startedTargetsOf } from './target.ts';

const usage = `usage: node tools/bench/watch-latency.ts --target FILE [--target FILE ...] [options]

A FILE says how to start a server (tools/bench/servers).

  --watches LIST   numbers of watches (10,100,500), of pods, config maps and custom resources in turn
  --writers LIST   numbers of writers (1,16,64)
  --pace N         writes per second of all writers together (each writes as fast as it gets responses)
  --http2          watches and writes share connections over HTTP/2 (each has a connection)
  --rounds N       how often each server is measured (3)
  --seconds N      how long each measurement writes (4)
  --etcd FILE      the etcd that servers are started with (etcd)`;

const options = flags({
  target: { type: 'string', multiple: true },
  watches: { type: 'string', default: '10,100,500' },
  writers: { type: 'string', default: '1,16,64' },
  pace: { type: 'string', default: '0' },
  http2: { type: 'boolean', default: false },
  rounds: { type: 'string', default: '3' },
  seconds: { type: 'string', default: '4' },
  etcd: { type: 'string', default: 'etcd' },
});

function parse(args: readonly string[]) {
  const values = options(args);
  const numbers = (list: string) => list.split(',').map(Number);
  const [pace, seconds] = [Number(values.pace), Number(values.seconds)];
  const scenarios: readonly Scenario[] = numbers(values.watches).flatMap((watches) =>
    numbers(values.writers).map((writers) => ({ watches, writers, pace, seconds })),
  );
  return { ...values, targets: startedTargetsOf(values.target), scenarios };
}

type Options = ReturnType<typeof parse>;

/** The figures of each round. */
interface Row {
  readonly target: string;
  readonly scenario: Scenario;
  readonly figures: Readonly<Record<string, number>>[];
}

async function run(values: Options): Promise<void> {
  const rows = values.scenarios.flatMap((scenario) =>
    values.targets.map((target): Row => ({ target: target.name, scenario, figures: [] })),
  );
  for (let round = 1; round <= Number(values.rounds); round++)
    for (const target of values.targets) {
      console.error(`round ${String(round)}: ${target.name}`);
      await measure(target, values, rows);
    }
  const names = Object.keys(rows[0]?.figures[0] ?? {});
  const cells = rows.map(({ target, scenario, figures }) => [
    ...[label(scenario), target],
    ...names.map((name) => format(median(figures.map((of) => of[name] ?? NaN)))),
  ]);
  console.log(markdownTable(['watches, writers', 'server', ...names], cells, 2));
}

async function measure(
  { name, command }: ServerDescription,
  { etcd, http2, scenarios }: Options,
  rows: readonly Row[],
): Promise<void> {
  const server = await Server.start({ command, etcdBinary: etcd });
  try {
    const preparing = new HttpClient(server.connection, 1);
    await prepareObjects(preparing, Math.max(...scenarios.map(({ writers }) => writers)));
    await preparing.close();
    for (const scenario of scenarios) {
      const client = http2
        ? http2Client(server)
        : new HttpClient(server.connection, scenario.watches + scenario.writers);
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

function label({ watches, writers }: Scenario): string {
  return `${String(watches)} watches, ${String(writers)} writers`;
}

await runCommand({ name: 'watch-latency', usage, parse, run, failure: 1 });
