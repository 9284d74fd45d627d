import { setTimeout as sleep } from 'node:timers/promises';
import { watchLines } from '../../servers/watch-lines.ts';
import type { BenchClient } from '../exchange.ts';
import { kinds, objectPath, watchPlan, type Kind } from './objects.ts';

export interface Scenario {
  readonly watches: number;
  readonly writers: number;
  /** Writes per second of all writers together; 0 = each writer writes as soon as it has the response to its last write. */
  readonly pace: number;
  readonly seconds: number;
}

export interface Outcome {
  readonly writes: number;
  readonly seconds: number;
  /** Events that reached any watch. */
  readonly events: number;
  /** Milliseconds from the response to a write until a watch had its event, sorted. Negative: the event came first. */
  readonly delays: Float64Array;
  /** Milliseconds that each write took until its response, sorted. */
  readonly writeTimes: Float64Array;
  /** The processor time of the server from the first write to the last event, in milliseconds. */
  readonly processorMs: number;
  /** The share of the time in which the event loop of the load generator had work. */
  readonly generatorBusy: number;
}

/** Of so many watches the events are looked into; of the others they are counted, which costs less. */
const maxExamined = 36;
/** How long to wait for the last events. */
const arrivalTimeoutMs = 60_000;
/** The writes in the first part of a run are not counted: connections are new then. */
const warmUpShare = 0.2;

const marker = Buffer.from('"resourceVersion":"');
const quote = 0x22;

/** The first resourceVersion in a document, which is the object's own. NaN if there is none. */
function resourceVersionIn(bytes: Buffer, from: number, to: number): number {
  const at = bytes.indexOf(marker, from);
  if (at < 0 || at >= to) return Number.NaN;
  let version = 0;
  for (let i = at + marker.length; bytes[i] !== quote && i < to; i++) version = version * 10 + (bytes[i] ?? 0) - 48;
  return version;
}

interface Write {
  readonly kind: Kind;
  readonly writer: number;
  readonly version: number;
  readonly respondedAt: number;
  readonly took: number;
  readonly counts: boolean;
}

/** A watch whose events are looked into. */
class ExaminedWatch {
  readonly arrivals = new Map<number, number>();
  readonly receive = watchLines((_line, bytes, from, to) => {
    this.arrivals.set(resourceVersionIn(bytes, from, to), performance.now());
  });
}

/**
 * Opens the watches, lets the writers write and measures when the events arrive. `processorMs` is the processor time that the server has used. Throws
 * Error when an event is missing.
 */
export async function runScenario(
  client: BenchClient,
  scenario: Scenario,
  processorMs: () => number,
): Promise<Outcome> {
  const { watches, writers } = scenario;
  const plans = Array.from({ length: watches }, (_, i) => watchPlan(i, writers));
  const every = Math.max(1, Math.ceil(watches / maxExamined));
  const examined = new Map<number, ExaminedWatch>();
  let counted = 0;
  const count = () => {
    counted += 1;
  };
  const since = Math.max(...(await Promise.all(kinds.map((kind) => latestVersion(client, kind)))));
  for (const [i, plan] of plans.entries()) {
    const separator = plan.path.includes('?') ? '&' : '?';
    const path = `${plan.path}${separator}watch=true&resourceVersion=${String(since)}`;
    const examines = i % every === 0;
    const watch = new ExaminedWatch();
    if (examines) examined.set(i, watch);
    await client.watch(path, examines ? watch.receive : watchLines(count));
  }
  const idle = performance.eventLoopUtilization();
  const before = processorMs();
  const started = performance.now();
  const writes = await write(client, scenario);
  const seconds = (performance.now() - started) / 1_000;
  const generatorBusy = performance.eventLoopUtilization(idle).utilization;
  const expected = (plan: (typeof plans)[number]) =>
    writes.filter(({ kind, writer }) => plan.selects(kind, writer)).length;
  const delays: number[] = [];
  let events = counted;
  for (const [i, watch] of examined) {
    const plan = plans[i];
    if (plan === undefined) continue;
    const wanted = expected(plan);
    for (const end = Date.now() + arrivalTimeoutMs; watch.arrivals.size < wanted && Date.now() < end;) await sleep(5);
    events += watch.arrivals.size;
    for (const one of writes) {
      if (!plan.selects(one.kind, one.writer)) continue;
      const at = watch.arrivals.get(one.version);
      if (at === undefined) throw new Error(`${plan.path}: the event of ${String(one.version)} is missing`);
      if (one.counts) delays.push(at - one.respondedAt);
    }
  }
  return {
    writes: writes.length,
    seconds,
    events,
    delays: Float64Array.from(delays).sort(),
    writeTimes: Float64Array.from(writes.filter(({ counts }) => counts).map(({ took }) => took)).sort(),
    processorMs: processorMs() - before,
    generatorBusy,
  };
}

async function latestVersion(client: BenchClient, kind: Kind): Promise<number> {
  const path = objectPath(kind, 0).replace(/\/namespaces\/.*/, `/${kind}?limit=1`);
  const list = await client.read('GET', path);
  return resourceVersionIn(list, 0, list.length);
}

async function write(client: BenchClient, { writers, pace, seconds }: Scenario): Promise<Write[]> {
  const writes: Write[] = [];
  const started = performance.now();
  const counting = started + seconds * 1_000 * warmUpShare;
  const end = started + seconds * 1_000;
  const one = async (writer: number) => {
    // Paced writers begin at different times.
    const period = pace === 0 ? 0 : (writers * 1_000) / pace;
    let due = started + (period * writer) / writers;
    for (let n = 0; ; n++) {
      if (pace > 0) {
        await sleep(Math.max(0, due - performance.now()));
        due += period;
      }
      const begun = performance.now();
      if (begun >= end) return;
      const kind = kinds[(n + writer) % kinds.length] ?? 'pods';
      const response = await client.read('PATCH', objectPath(kind, writer), {
        body: `{"metadata":{"annotations":{"n":"${String(begun)}"}}}`,
      });
      const respondedAt = performance.now();
      const version = resourceVersionIn(response, 0, response.length);
      writes.push({ kind, writer, version, respondedAt, took: respondedAt - begun, counts: begun >= counting });
    }
  };
  await Promise.all(Array.from({ length: writers }, (_, writer) => one(writer)));
  return writes;
}
