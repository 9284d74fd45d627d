import { setTimeout as sleep } from 'node:timers/promises';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Process } from '../servers/process.ts';
import type { EtcdCluster, Member } from './etcd-cluster.ts';
import type { Load } from './load.ts';
import { fillDisk, freeDisk, type Host, type Network } from './network.ts';
import type { Replica, Replicas, Version } from './replicas.ts';

const electionTimeoutMs = 60_000;
const diskTimeoutMs = 20_000;

/** What happens to a part of a cluster, and how it ends. */
export interface Fault {
  readonly name: string;
  inject(): Promise<void>;
  /** Ends the fault. Resolves when the part works again. */
  heal(): Promise<void>;
  /** As `heal`, without waiting. Undefined where that makes no difference. */
  readonly restore?: () => Promise<void>;
}

/** A part that a fault can end, suspend or cut off. */
interface Target {
  readonly name: string;
  readonly host: Host;
  readonly process: Process;
  /** Tells the cluster, before the fault, that the part does not take part until it is back. */
  away(isAway: boolean): void;
  /** Ends it as a crash would. */
  kill(): Promise<void>;
  start(): void;
  untilBack(): Promise<void>;
}

/** A target that is chosen when the fault happens. */
type Chosen = () => Promise<Target>;

const memberTarget = (etcd: EtcdCluster, member: Member, name: string): Target => ({
  ...{ name, host: member.host, process: member.process },
  away(isAway) {
    member.isAway = isAway;
  },
  kill: () => member.process.stop('SIGKILL'),
  start: () => void member.process.start(),
  untilBack: async () => void (await etcd.untilLed(electionTimeoutMs)),
});

const replicaTarget = (replicas: Replicas, replica: Replica): Target => ({
  ...{ name: replica.host.name, host: replica.host },
  get process() {
    return replica.process;
  },
  away: () => undefined,
  kill: () => replicas.stop(replica, 'SIGKILL'),
  start: () => replicas.start(replica),
  untilBack: () => replicas.untilReady(replica),
});

/** The fault of a target that is chosen when it happens, and healed later. */
function faultOf(
  what: string,
  name: string,
  choose: Chosen,
  inject: (target: Target) => unknown,
  heal: (target: Target) => unknown,
): Fault {
  let hit: Target | undefined;
  const restore = async (): Promise<Target> => {
    if (hit === undefined) throw new Error(`${what} of ${name} has not happened`);
    await heal(hit);
    hit.away(false);
    return hit;
  };
  return {
    name: `${what} of ${name}`,
    async inject() {
      hit = await choose();
      hit.away(true);
      await inject(hit);
    },
    restore: async () => void (await restore()),
    heal: async () => (await restore()).untilBack(),
  };
}

const kill = (name: string, choose: Chosen): Fault =>
  faultOf(
    'kill -9',
    name,
    choose,
    (target) => target.kill(),
    (target) => target.start(),
  );

const suspend = (name: string, choose: Chosen): Fault =>
  faultOf(
    'SIGSTOP',
    name,
    choose,
    ({ process }) => process.signal('SIGSTOP'),
    ({ process }) => process.signal('SIGCONT'),
  );

const partition = (name: string, choose: Chosen, network: Network): Fault =>
  faultOf(
    'partition',
    name,
    choose,
    ({ host }) => network.cutOff(host),
    ({ host }) => network.join(host),
  );

/** Every fsync of the process takes 100 ms longer, by a tracer that is attached to it. */
function slowDisk(name: string, choose: Chosen, log: string): Fault {
  let tracer: Process | undefined;
  return faultOf(
    'slow disk',
    name,
    async () => {
      const target = await choose();
      // The member still takes part: whether it leads may change.
      return { ...target, away: () => undefined };
    },
    async ({ process: { pid } }) => {
      const delayed = ['-e', 'trace=fsync,fdatasync', '-e', 'inject=fsync,fdatasync:delay_enter=100000'];
      tracer = new Process(['strace', '-f', '-qq', '-o', '/dev/null', '-p', String(pid), ...delayed], log).start();
      await sleep(200);
      if (tracer.failure !== undefined) throw new Error(`${tracer.failure}: ${tracer.lastLines}`);
    },
    async () => {
      await tracer?.stop();
    },
  );
}

/** The disk of a member is full until it ends by it, and for as long as the fault lasts. */
function fullDisk(name: string, choose: Chosen, dataDirOf: (host: Host) => string): Fault {
  return faultOf(
    'full disk',
    name,
    choose,
    async ({ host, process }) => {
      fillDisk(dataDirOf(host));
      const deadline = performance.now() + diskTimeoutMs;
      while (process.failure === undefined && performance.now() < deadline) await sleep(20);
    },
    (target) => {
      freeDisk(dataDirOf(target.host));
      if (target.process.failure !== undefined) target.start();
    },
  );
}

/** The faults of the members of etcd: of the leader at that time, and of each in turn. */
export function etcdFaults(etcd: EtcdCluster): readonly Fault[] {
  // Ordered by fault: the chain no longer uses the member that one fault has hit when the next fault comes.
  return [kill, suspend].flatMap((fault) => etcdTargets(etcd).map(({ name, choose }) => fault(name, choose)));
}

function etcdTargets(etcd: EtcdCluster): readonly { readonly name: string; readonly choose: Chosen }[] {
  const leader: Chosen = async () => memberTarget(etcd, await etcd.untilLed(electionTimeoutMs), 'the leader');
  const members = etcd.members.map((member) => {
    const { name } = member.host;
    return { name, choose: () => Promise.resolve(memberTarget(etcd, member, name)) };
  });
  return [{ name: 'the leader of etcd', choose: leader }, ...members];
}

/** The faults that need hosts of their own: dropped packets, and disks. */
export function hostFaults(replicas: Replicas, network: Network, directory: string): readonly Fault[] {
  const { etcd, all } = replicas;
  const targets = [...etcdTargets(etcd), ...replicaTargets(replicas, all)];
  const [leader, first] = etcdTargets(etcd);
  const dataDirOf = (host: Host) => join(directory, host.name);
  return [
    ...targets.map(({ name, choose }) => partition(name, choose, network)),
    ...[leader, first].flatMap((target) =>
      target === undefined
        ? []
        : [
            slowDisk(target.name, target.choose, join(directory, 'strace.log')),
            fullDisk(target.name, target.choose, dataDirOf),
          ],
    ),
  ];
}

const replicaTargets = (replicas: Replicas, all: readonly Replica[]) =>
  all.map((replica) => ({
    name: replica.host.name,
    choose: () => Promise.resolve(replicaTarget(replicas, replica)),
  }));

/** kill -9 and SIGSTOP of each replica. */
export const replicaFaults = (replicas: Replicas, all: readonly Replica[] = replicas.all): readonly Fault[] =>
  [kill, suspend].flatMap((fault) => replicaTargets(replicas, all).map(({ name, choose }) => fault(name, choose)));

/** Every replica in turn is ended and started again, each when the one before is ready: as it was, or in another version. */
export const rollingRestart = (replicas: Replicas, name = 'rolling restart', version?: Version): Fault => ({
  name,
  async inject() {
    for (const replica of replicas.all) {
      await replicas.stop(replica);
      replicas.start(replica, version);
      await replicas.untilReady(replica);
    }
  },
  heal: () => Promise.resolve(),
});

/** All clients go on at another replica: watches from their last event. */
export const movedClients = (loads: readonly Load[]): Fault => {
  const move = () => {
    for (const load of loads) load.move();
    return Promise.resolve();
  };
  return { name: 'clients moved to another replica', inject: move, heal: move };
};

/** Where Debian's package libfaketime has the library that changes the time of day of a program. */
const fakeTimeLibraries = ['x86_64', 'aarch64'].map(
  (machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketimeMT.so.1`,
);

/** Whether clocks can be set. */
export const fakeTimeLibrary = (): string | undefined => fakeTimeLibraries.find((file) => existsSync(file));

/**
 * The clocks of the second replica of each service are five minutes ahead: the replicas are started with a clock that can be set, which then jumps.
 * While the fault lasts it jumps to five minutes behind.
 */
export function clocksApart(replicas: Replicas, version: Version, library: string, directory: string): Fault {
  const seconds = replicas.all.filter(({ host }) => host.name.endsWith('2'));
  const clock = join(directory, 'clock');
  const set = (offset: string) => writeFileSync(clock, `${offset}\n`);
  const environment = {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: clock,
    FAKETIME_CACHE_DURATION: '1',
    DONT_FAKE_MONOTONIC: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };
  const restart = async (as: Version) => {
    for (const replica of seconds) {
      await replicas.stop(replica);
      replicas.start(replica, as);
      await replicas.untilReady(replica);
    }
  };
  return {
    name: 'clocks 5 minutes apart',
    async inject() {
      set('+0');
      await restart({ ...version, environment });
      set('+300');
    },
    async heal() {
      set('-300');
      await sleep(3_000);
      await restart(version);
    },
  };
}
