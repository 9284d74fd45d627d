import type { EmbeddedEtcd } from '@apichain/embedded-etcd';
import { builtinPrefix } from '@apichain/kinds/model';
import { seededRandom, withRuntime, type FollowedResource, type Runtime } from '@apichain/meta';
import { ChainActivity } from './chain-activity.ts';
import { TestClock } from './clock.ts';

/** How the time of a chain runs. */
interface ChainTimeOptions {
  /** `machine`: with the time of the machine. `virtual`: only when the test moves it, from the present, or from a time. */
  readonly clock: 'machine' | 'virtual' | Date;
  /** Determines names, uids and the order of what is concurrent. */
  readonly seed: number | undefined;
  /** Where the keys of the API server begin. */
  readonly etcdPrefix: string;
}

/** Chains with a seed begin at this time, so that a test finds the same dates in every run. */
export const seededStart = new Date('2030-01-01T00:00:00Z');

/** A number that makes the sequence of choices independent of the sequence of names. */
const orderSalt = 0x9e3779b9;

/** The clock, the random numbers and the activity of one chain. */
export class ChainTime {
  readonly clock: TestClock;
  readonly activity: ChainActivity;
  readonly #seed: number | undefined;
  readonly #server: Runtime;
  #random: () => number = Math.random;

  constructor({ clock, seed, etcdPrefix }: ChainTimeOptions, etcd: () => EmbeddedEtcd | undefined) {
    this.#seed = seed;
    const random = seed === undefined ? undefined : seededRandom(seed ^ orderSalt);
    this.clock = new TestClock({
      virtualFrom: clock === 'machine' ? undefined : clock === 'virtual' ? wholeSeconds(Date.now()) : clock.getTime(),
      isHeld: seed !== undefined,
      ageLeases: async (milliseconds) => etcd()?.ageLeases(milliseconds),
      settle: () => this.activity.settle(),
      shuffle: (timers) => (random === undefined ? timers : shuffled(timers, random)),
    });
    this.activity = new ChainActivity({
      changesSince: (revision) => etcd()?.changesSince(revision) ?? [],
      revision: () => etcd()?.revision ?? 0,
      directoryOf: (resource) => directoryOf(resource, etcdPrefix),
      timers: this.clock,
      random,
    });
    this.#server = { clock: this.clock, ...(seed === undefined ? {} : { random: () => this.#random() }) };
  }

  get isSeeded(): boolean {
    return this.#seed !== undefined;
  }

  /** Begins the sequence of random names: what has been made before depends on how the chain was started. */
  beginSequence(): void {
    if (this.#seed !== undefined) this.#random = seededRandom(this.#seed);
  }

  /** Runs the API server: by the clock, but its work is not waited for other than through the requests that cause it. */
  readonly serve = <T>(action: () => T): T => withRuntime(this.#server, action);

  /** Runs controllers, whose work `settle` waits for. */
  readonly run = <T>(action: () => T): T => withRuntime({ ...this.#server, activity: this.activity }, action);
}

const wholeSeconds = (milliseconds: number): number => Math.floor(milliseconds / 1_000) * 1_000;

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const left = [...items];
  return items.flatMap(() => left.splice(Math.floor(random() * left.length), 1));
}

/** The directory of a resource in the store: that of a built-in kind, or of a custom resource. */
const directoryOf = ({ group, resource }: FollowedResource, prefix: string): string =>
  `${prefix}${builtinPrefix({ group, resource }) ?? `/${group}/${resource}`}/`;
