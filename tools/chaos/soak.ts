import { appendFileSync, readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorMessage } from '@apichain/meta';
import { Random } from '../fuzz/random.ts';
import { residentMb } from '../servers/processes.ts';
import type { Fault } from './faults.ts';
import type { Replica } from './replicas.ts';
import { recoveryTimeoutMs, seconds, suffer, type Bounds, type Patient } from './suffer.ts';

const sampleMs = 10_000;
/** How many of a hundred steps are another fault than kill -9. */
const otherFaults = 12;
/** What a process may hold more at the end than at the beginning. The last is for what grows with the number of objects, compiled code and the like. */
const moreDescriptors = 25;
const timesMemory = 1.5;

export interface SoakOptions {
  readonly patient: Patient;
  /** The faults, each of which is injected and healed by itself. */
  readonly faults: readonly Fault[];
  /** kill -9 of each process that may be killed. */
  readonly kills: readonly Fault[];
  /** The processes that live through all, whose memory and descriptors are followed. */
  readonly lasting: readonly Replica[];
  readonly durationMs: number;
  /** The number of kills after which the soak ends before its time. 0 = none. */
  readonly maxKills: number;
  readonly seed: number;
  readonly bounds: Bounds;
  /** Where a line is added for each sample. */
  readonly samples: string | undefined;
}

interface Sample {
  /** Milliseconds since the soak began. */
  readonly at: number;
  readonly residentMb: readonly number[];
  readonly descriptors: readonly number[];
  /** The median of the times of the last writes, in milliseconds. */
  readonly writeMs: number;
}

/** Random faults, one after the other, for a time. Returns the violations. */
export async function soak(options: SoakOptions): Promise<string[]> {
  const { patient, durationMs, maxKills, seed } = options;
  const random = new Random(seed);
  const begun = performance.now();
  const samples: Sample[] = [];
  const stopped = new AbortController();
  const sampling = sampleUntil(stopped.signal, options, begun, samples);
  const wrong: string[] = [];
  let kills = 0;
  let others = 0;
  const bounds = () => ({ ...options.bounds, holdMs: random.below(4_000) });
  while (performance.now() - begun < durationMs && (maxKills === 0 || kills < maxKills)) {
    const isKill = random.below(100) >= otherFaults;
    const fault = random.pick(isKill ? options.kills : options.faults);
    try {
      if (isKill) {
        await fault.inject();
        await sleep(random.below(1_000));
        // The next one may be killed before this one is ready, but etcd keeps its majority.
        await (fault.restore ?? (() => fault.heal()))();
        await patient.etcd.untilLed(recoveryTimeoutMs);
      } else wrong.push(...(await suffer(patient, fault, bounds())));
    } catch (error) {
      wrong.push(`${fault.name}: ${errorMessage(error)}`);
    }
    if (!isKill) others++;
    else if (++kills % 50 === 0)
      console.log(`  ${seconds(performance.now() - begun)}: ${String(kills)} kills, ${String(others)} other faults`);
  }
  stopped.abort();
  await sampling;
  console.log(
    `  ${String(kills)} times kill -9 and ${String(others)} other faults in ${seconds(performance.now() - begun)}`,
  );
  return [...wrong, ...growth(options.lasting, samples)];
}

async function sampleUntil(
  signal: AbortSignal,
  { lasting, patient, samples: file }: SoakOptions,
  begun: number,
  samples: Sample[],
): Promise<void> {
  while (!signal.aborted) {
    const pids = lasting.map(({ process }) => process.pid);
    const sample = {
      at: performance.now() - begun,
      residentMb: pids.map((pid) => residentMb([pid])),
      descriptors: pids.map((pid) => readdirSync(`/proc/${String(pid)}/fd`).length),
      writeMs: Math.max(...patient.loads.map((load) => load.medianWriteMs())),
    };
    samples.push(sample);
    if (file !== undefined) appendFileSync(file, `${JSON.stringify(sample)}\n`);
    // Aborted: the loop ends.
    await sleep(sampleMs, undefined, { signal }).catch(() => undefined);
  }
}

const mean = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

/** Compares the second tenth, when everything has been loaded and cached, with the last one. */
function* growth(lasting: readonly Replica[], samples: readonly Sample[]): Generator<string> {
  const tenth = Math.max(1, Math.floor(samples.length / 10));
  const early = samples.slice(tenth, 2 * tenth);
  const late = samples.slice(-tenth);
  if (early.length === 0) return;
  const times = [early, late].map((part) => `${mean(part.map(({ writeMs }) => writeMs)).toFixed(0)} ms`);
  console.log(`  a write takes ${times.join(', then ')} (median)`);
  for (const [index, { host }] of lasting.entries()) {
    const of = (part: readonly Sample[], what: 'residentMb' | 'descriptors') =>
      mean(part.map((sample) => sample[what][index] ?? 0));
    const memory = [early, late].map((part) => of(part, 'residentMb'));
    const descriptors = [early, late].map((part) => of(part, 'descriptors'));
    const text = (numbers: readonly number[]) => numbers.map((number) => number.toFixed(0)).join(', then ');
    const line = `${host.name}: ${text(memory)} MB, ${text(descriptors)} descriptors`;
    console.log(`  ${line}`);
    const [memoryBefore = 0, memoryAfter = 0] = memory;
    const [before = 0, after = 0] = descriptors;
    if (memoryAfter > memoryBefore * timesMemory || after > before + moreDescriptors) yield `${line}: not flat`;
  }
}
