import { joinHostPort } from '@apichain/go-text';
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorMessage, freePort, isRecord } from '@apichain/meta';
import { repeatedProbe } from '../probe.ts';
import { StartupError, writeWholeFile } from '@apichain/chain/setup';
import { pem, reachable, writeKubeconfig, serverAuthorities } from './access.ts';
import { activityFrom, type Activity, type UpChain } from './chain.ts';
import type { DataDirectory } from './data-directory.ts';
import { flagsForFirst, flagsForServices, type UpOptions } from './options.ts';
import type { ServerActivity } from '@apichain/apiserver';
import { assertChainPortFree, startupErrorOf } from './ports.ts';
import { flagsBehindFirst, stopGraceMs, stopGraceOfFirst } from './first-service.ts';
import { startControllers, startService, startSimulation, startWholeChain } from './service.ts';
import { flagsForKubelets, lateNodes, registrationStage, registrationTimeoutMs } from './simulate-options.ts';
import { isInBackground, warn } from './say.ts';
import { showRequests } from './shown-requests.ts';
import { removeStoreUrl, startEmbeddedStore, startEtcdOf, storeKindOf, writeStoreUrl } from './store.ts';
import type { SupervisedProcess } from './supervisor.ts';

const readyTimeoutMs = 60_000;
const pollMs = 15;

const serviceNames: readonly string[] = ['aggregator', 'kube-core', 'apiextensions', 'chain'];

/** The activity of the servers of a process, or of its workers. Undefined where they did not respond. */
function activityIn(response: unknown): readonly ServerActivity[] | undefined {
  const replies = isRecord(response) ? response['replies'] : undefined;
  if (!Array.isArray(replies) || replies.length === 0) return undefined;
  return replies.flatMap((text) => JSON.parse(String(text)) as ServerActivity[]);
}

/** Runs every service, or the whole chain as one service, as a separate process, and restarts it when it exits. */
export class SeparateProcesses implements UpChain {
  /** Never rejects: services are restarted instead. */
  readonly failed = new Promise<never>(() => undefined);
  readonly #directory: DataDirectory;
  /** The processes in start order. They are stopped in reverse order. */
  readonly #processes: SupervisedProcess[] = [];
  #starting: Promise<void> | undefined;
  #stopping = false;
  readonly #stopRequested = Promise.withResolvers<'stopping'>();
  #stopGraceMs = stopGraceMs;
  ready = false;
  stage = 'starting the chain';

  constructor(directory: DataDirectory) {
    this.#directory = directory;
  }

  start(options: UpOptions, certificates: Promise<void>): Promise<void> {
    this.#stopGraceMs = stopGraceOfFirst(options.serviceFlags);
    this.#starting = this.#start(options, certificates);
    return this.#starting;
  }

  async #start(options: UpOptions, certificates: Promise<void>): Promise<void> {
    const directory = this.#directory;
    await assertChainPortFree(options);
    this.stage = options.etcdServers === undefined ? 'starting the store' : 'creating certificates';
    // Waits for the store even if the certificates fail, because `stop` must know a store that is starting.
    const [store, made] = await Promise.allSettled([this.#storeUrl(options), certificates]);
    if (this.#stopping) return;
    const etcdServers = valueOf(store);
    valueOf(made);
    writeStoreUrl(directory, etcdServers);
    this.#startServices(options, etcdServers, [await freePort(), await freePort()]);
    this.#writePids();
    this.stage = 'waiting for the services';
    await this.#waitUntilReady(options);
    if (this.#stopping) return;
    writeKubeconfig(directory, options);
    for (const process of this.#processes) process.settle({ hasResponded: true });
    this.#startControllers(options);
    await this.#startSimulation(options);
    this.ready = !this.#stopping;
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.#stopRequested.resolve('stopping');
    // Waits for a start in progress, so that all its processes are known. The caller of `start` reports its failure.
    await Promise.allSettled([this.#starting]);
    for (const process of this.#processes.reverse()) await process.stop(this.#stopGraceMs);
    // A process that had to be killed leaves its socket.
    const { socket, linkSockets, debugSockets } = this.#directory;
    for (const file of [socket, ...Object.values(linkSockets), ...Object.values(debugSockets)])
      rmSync(file, { force: true });
    rmSync(this.#directory.pids, { force: true });
    removeStoreUrl(this.#directory);
  }

  /** Returns the warnings that all services print. If only some services ignore a flag, it has an effect in another one. */
  warnings(): string[] {
    const spoken = this.#processes
      .filter(({ spec }) => serviceNames.includes(spec.name))
      .map((process) => new Set(process.output.flatMap((line) => /: warning: (.*)$/.exec(line)?.[1] ?? [])));
    const [first = new Set<string>(), ...others] = spoken;
    return [...first].filter((warning) => others.every((set) => set.has(warning)));
  }

  async activity(): Promise<Activity | undefined> {
    const services = this.#processes.filter(({ spec }) => serviceNames.includes(spec.name));
    const responses = await Promise.all(services.map((process) => process.ask('activity')));
    const all = responses.map(activityIn);
    return all.includes(undefined) ? undefined : activityFrom(all.flatMap((servers) => servers ?? []));
  }

  /** No seed is kept: the store is in another process, which cannot replace its contents at once. */
  keepSeed(): void {}

  restoreSeed(): Promise<boolean> {
    return Promise.resolve(false);
  }

  async #storeUrl(options: UpOptions): Promise<string> {
    if (options.etcdServers !== undefined) return options.etcdServers;
    const startStore = storeKindOf(this.#directory, options) === 'etcd' ? startEtcdOf : startEmbeddedStore;
    const { process, url } = await startStore(this.#directory, (text) => this.#restarted(text));
    this.#processes.push(process);
    this.#writePids();
    return url;
  }

  #startServices(options: UpOptions, etcdServers: string, [kubeCore, apiextensions]: [number, number]): void {
    const onRestart = (text: string) => this.#restarted(text);
    const onLine =
      options.showRequests && !isInBackground() ? (line: string) => this.ready && showRequests(line) : undefined;
    if (options.inProcess) {
      this.#processes.push(startWholeChain(this.#directory, options, etcdServers, onRestart, onLine));
      return;
    }
    const flags = [...flagsForKubelets(options, this.#directory.pki), ...flagsForServices(options)];
    const loopback = { bindAddress: '127.0.0.1', etcdServers, flags: flagsBehindFirst(flags) };
    const { bindAddress, securePort } = options;
    const { linkSockets: sockets } = this.#directory;
    this.#processes.push(
      startService(
        this.#directory,
        { ...loopback, name: 'apiextensions', port: apiextensions, socket: sockets.apiextensions },
        onRestart,
      ),
      startService(
        this.#directory,
        {
          ...loopback,
          name: 'kube-core',
          // Clients reach the aggregator, which publishes its address itself.
          flags: [`--advertise-port=${securePort}`, ...loopback.flags, '--endpoint-reconciler-type=none'],
          port: kubeCore,
          socket: sockets['kube-core'],
          nextSocket: sockets.apiextensions,
        },
        onRestart,
      ),
      startService(
        this.#directory,
        {
          name: 'aggregator',
          bindAddress,
          port: securePort,
          nextSocket: sockets['kube-core'],
          etcdServers,
          flags: [...flags, ...flagsForFirst(options)],
          onLine,
        },
        onRestart,
      ),
    );
  }

  /** The controllers are clients of the chain, so its readiness does not depend on them. */
  #startControllers(options: UpOptions): void {
    if (options.controllers.length === 0) return;
    const { kubeconfig } = this.#directory;
    const process = startControllers(this.#directory, kubeconfig, options, (text) => this.#restarted(text));
    this.#processes.push(process);
    process.settle();
    this.#writePids();
  }

  /** A client of the chain as well. The chain is ready with its nodes. Throws StartupError if the simulation ends before. */
  async #startSimulation({ simulation }: UpOptions): Promise<void> {
    if (simulation === undefined) return;
    this.stage = registrationStage(simulation);
    const { kubeconfig, logs } = this.#directory;
    const registered = Promise.withResolvers<'registered'>();
    const process = startSimulation(
      this.#directory,
      { kubeconfig, simulation, onReady: () => registered.resolve('registered') },
      (text) => this.#restarted(text),
    );
    this.#processes.push(process);
    this.#writePids();
    const late = new AbortController();
    const outcome = await Promise.race([
      registered.promise,
      this.#stopRequested.promise,
      process.failedToStart.then(() => 'failed' as const),
      sleep(registrationTimeoutMs, 'late' as const, { signal: late.signal }),
    ]);
    late.abort();
    if (outcome === 'failed') throw startupErrorOf(await reasonOf(process));
    if (outcome === 'late') warn(lateNodes(logs));
    process.settle();
  }

  async #waitUntilReady(options: UpOptions): Promise<void> {
    let failed: SupervisedProcess | undefined;
    for (const process of this.#processes) void process.failedToStart.then(() => (failed ??= process));
    const url = `https://${joinHostPort(reachable(options.bindAddress), options.securePort)}/readyz`;
    // The probe authenticates, because anonymous requests may be disabled (--anonymous-auth=false).
    const file = (name: string) => pem(this.#directory, name);
    const probe = repeatedProbe({
      url,
      ca: serverAuthorities(this.#directory, options.serviceFlags),
      cert: file('admin.crt'),
      key: file('admin.key'),
    });
    const deadline = Date.now() + readyTimeoutMs;
    for (let problem = await probe(); problem !== undefined; problem = await probe()) {
      if (this.#stopping) return;
      // The other services may fail for the same reason a moment later. Only the first failure is reported.
      if (failed !== undefined) throw startupErrorOf(await reasonOf(failed));
      if (Date.now() > deadline)
        throw new StartupError(
          `the chain is not ready after ${readyTimeoutMs / 1000} s (${problem}): see ${this.#directory.logs}`,
        );
      await sleep(pollMs);
    }
  }

  #restarted(text: string): void {
    warn(text);
    try {
      this.#writePids();
    } catch (error) {
      // The chain does not depend on the file.
      warn(errorMessage(error));
    }
  }

  /** Writes the process ids of the chain's parts, for monitoring and measurements. */
  #writePids(): void {
    const pids = Object.fromEntries(this.#processes.map((process) => [process.spec.name, process.pid]));
    writeWholeFile(this.#directory.pids, `${JSON.stringify(pids)}\n`, 0o600);
  }
}

/** The value of a settled promise. Throws the reason of a rejection. */
function valueOf<Value>(result: PromiseSettledResult<Value>): Value {
  if (result.status === 'rejected') throw result.reason;
  return result.value;
}

/** A service that cannot start prints the reason in a line that begins with its name. A service that crashed prints the text of an error. */
async function reasonOf(process: SupervisedProcess): Promise<string> {
  const why = await process.failedToStart;
  const { name, logFile } = process.spec;
  const lines = process.output.filter((text) => !text.startsWith('{') && !text.startsWith(`${name}: warning:`));
  const line = lines.findLast((text) => text.startsWith(`${name}: `)) ?? lines.find((text) => /Error: /.test(text));
  return line ?? `${name} did not start (${why}): see ${logFile}`;
}
