import { setTimeout as sleep } from 'node:timers/promises';
import type { EtcdCluster } from './etcd-cluster.ts';
import type { Fault } from './faults.ts';
import { violations } from './history.ts';
import type { Load } from './load.ts';

export const recoveryTimeoutMs = 60_000;

/** What suffers the faults: a cluster with clients. */
export interface Patient {
  readonly etcd: EtcdCluster;
  readonly loads: readonly Load[];
}

export interface Bounds {
  /** How often each fault happens. */
  readonly rounds: number;
  /** Matches the names of the faults that happen. */
  readonly only: RegExp;
  /** How long a fault stays after all clients have resumed in spite of it, in milliseconds. */
  readonly holdMs: number;
  /** How long writes and watches may take to go on, in milliseconds: once etcd has a leader, and once a fault has healed. */
  readonly maxRecoveryMs: number;
}

export const seconds = (milliseconds: number) => `${(milliseconds / 1_000).toFixed(1)} s`;

/** Injects one fault, waits until everything goes on in spite of it, heals it, and waits again. Returns the violations. */
export async function suffer({ etcd, loads }: Patient, fault: Fault, bounds: Bounds): Promise<string[]> {
  await etcd.untilLed(recoveryTimeoutMs);
  const wrong: string[] = [];
  const failed = performance.now();
  await fault.inject();
  await etcd.untilLed(recoveryTimeoutMs);
  const led = performance.now();
  const recover = async (since: number, what: string) => {
    const all = await Promise.all(loads.map((load) => load.untilWritten(since, recoveryTimeoutMs)));
    const [writers, watchers] = (['writers', 'watchers'] as const).map((who) =>
      all.includes(undefined) ? Number.POSITIVE_INFINITY : Math.max(...all.map((times) => (times?.[who] ?? 0) - since)),
    );
    const lagging = all.includes(undefined) ? `: ${loads.map((load) => load.lagging(since)).join('; ')}` : '';
    if ((watchers ?? 0) > bounds.maxRecoveryMs)
      wrong.push(`${fault.name}: it took ${seconds(watchers ?? 0)} ${what} until everything went on${lagging}`);
    return { writers: seconds(writers ?? 0), watchers: seconds(watchers ?? 0) };
  };
  const again = await recover(led, 'with the fault');
  await sleep(bounds.holdMs);
  await fault.heal();
  await etcd.untilLed(recoveryTimeoutMs);
  const healed = await recover(performance.now(), 'after the fault');
  const pause = Math.max(...loads.map((load) => load.longestPause(failed)));
  const parts = [
    `etcd led after ${seconds(led - failed)}`,
    `then every writer after ${again.writers}, every watcher after ${again.watchers}`,
    `healed after ${healed.watchers}`,
    `longest pause of a writer ${seconds(pause)}`,
  ];
  console.log(`  ${fault.name}: ${parts.join('; ')}`);
  return wrong;
}

/** All faults, one after the other. Returns the violations. */
export async function sufferAll(patient: Patient, faults: readonly Fault[], bounds: Bounds): Promise<string[]> {
  const wrong: string[] = [];
  for (let round = 0; round < bounds.rounds; round++)
    for (const fault of faults.filter(({ name }) => bounds.only.test(name)))
      wrong.push(...(await suffer(patient, fault, bounds)));
  return wrong;
}

/** Stops the clients and checks their histories. Returns the violations. `mayBreak`: servers ended, so requests may end without a response. */
export async function verdict({ loads }: Patient, mayBreak: boolean): Promise<string[]> {
  const wrong: string[] = [];
  for (const load of loads) {
    const { history, errors, breaks } = await load.finish(recoveryTimeoutMs);
    const count = (outcome: string) => history.writes.filter((write) => write.outcome === outcome).length;
    const lists = history.reads.filter(({ object }) => object === undefined).length;
    console.log(
      `  ${load.kind}: ${String(count('acknowledged'))} writes acknowledged, ${String(count('refused'))} refused, ${String(count('unknown'))} of unknown outcome; ${String(history.reads.length)} reads, ${String(lists)} of them lists; ${String(history.watches.length)} watches of ${String(history.watches[0]?.length)} changes, ${String(history.relists.length)} times after another list; ${String(breaks.length)} requests without a response`,
    );
    wrong.push(...errors, ...(mayBreak ? [] : breaks), ...violations(history));
  }
  return wrong;
}
