import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { closeAll, errorMessage } from '@apichain/meta';
import { createLogger, surviveErrors } from '@apichain/request';
import { FlagError } from '@apichain/apiserver-options';
import { startEmbeddedEtcd, type EmbeddedEtcd } from '@apichain/embedded-etcd';
import { startInProcessChain, type InProcessChain } from '@apichain/chain';
import { StartupError, writeWholeFile } from '@apichain/chain/setup';
import { pem, writeKubeconfig } from './access.ts';
import { activityFrom, type Activity, type UpChain } from './chain.ts';
import {
  type HostedControllers,
  type HostedInformers,
  type HostedSimulation,
  hostControllers,
  hostInformers,
  hostSimulation,
} from '@apichain/chain';
import { parseSettings } from '@apichain/controllers/settings';
import type { DataDirectory } from './data-directory.ts';
import { flagsForFirst, type UpOptions } from './options.ts';
import { flagsForChain } from './service.ts';
import { lateNodes, registrationStage, registrationTimeoutMs, type SimulateOptions } from './simulate-options.ts';
import { assertChainPortFree, startupErrorOf } from './ports.ts';
import { LogFile } from './log-file.ts';
import { removeStoreUrl, startEtcdOf, storeKindOf, writeStoreUrl } from './store.ts';
import { isInBackground, warn } from './say.ts';
import { Seed } from './seed.ts';
import { showRequests } from './shown-requests.ts';
import type { SupervisedProcess } from './supervisor.ts';

const stopGraceMs = 10_000;

const simulationFailed = (error: unknown): StartupError =>
  new StartupError(`the simulation cannot run: ${explain(error)}`);

/** `apichain up --in-process`: the three servers and their etcd run in this process. */
export class InProcessUp implements UpChain {
  readonly #directory: DataDirectory;
  readonly #failure = Promise.withResolvers<never>();
  readonly #log: LogFile;
  #etcd: EmbeddedEtcd | undefined;
  #realEtcd: SupervisedProcess | undefined;
  #chain: InProcessChain | undefined;
  #controllers: HostedControllers | undefined;
  #simulation: HostedSimulation | undefined;
  #informers: HostedInformers | undefined;
  #seed: Seed | undefined;
  #starting: Promise<void> | undefined;
  readonly #stopRequested = Promise.withResolvers<void>();
  #stopping = false;
  #stopSurviving: () => void = () => undefined;
  ready = false;
  stage = 'starting the chain';

  constructor(directory: DataDirectory) {
    this.#directory = directory;
    this.#log = new LogFile(join(directory.logs, 'apichain.log'), warn);
    // The failure reaches the users of `failed`. This handler prevents an unhandled rejection before there are any.
    this.#failure.promise.catch(() => undefined);
  }

  get failed(): Promise<never> {
    return this.#failure.promise;
  }

  start(options: UpOptions, certificates: Promise<void>): Promise<void> {
    this.#starting = this.#start(options, certificates);
    return this.#starting;
  }

  async #start(options: UpOptions, certificates: Promise<void>): Promise<void> {
    const directory = this.#directory;
    await assertChainPortFree(options);
    this.stage = 'creating certificates';
    await certificates;
    if (this.#stopping) return;
    this.stage = 'starting the store';
    const etcdServers = options.etcdServers ?? (await this.#startStore(options));
    this.stage = 'starting the servers';
    if (this.#stopping) return;
    writeStoreUrl(directory, etcdServers);
    try {
      this.#chain = await startInProcessChain({
        flags: flagsForChain(directory, options, etcdServers),
        aggregatorFlags: flagsForFirst(options),
        logger: (service) => createLogger(service, verbosityOf(options.serviceFlags), this.#destination(options)),
        onFatal: (error) => this.#failure.reject(new StartupError(explain(error))),
      });
      await Promise.race([this.#chain.ready(), this.#stopRequested.promise]);
    } catch (error) {
      throw startupErrorOf(explain(error));
    }
    if (this.#stopping) return;
    writeKubeconfig(directory, options);
    writeWholeFile(directory.pids, `${JSON.stringify(this.#pids())}\n`, 0o600);
    // From now on there are clients, so unexpected errors are logged and survived. An earlier unexpected error ends the start.
    this.#stopSurviving = surviveErrors(createLogger('apichain', verbosityOf(options.serviceFlags), this.#log));
    const { simulation } = options;
    if (simulation !== undefined) this.#startSimulation(this.#chain, simulation, options);
    this.#controllers = hostControllers(this.#chain, options.controllers, {
      rootCa: pem(directory, 'ca.crt'),
      ...(options.controllers.includes('certificatesigningrequest-signing-controller') && {
        signer: { certificate: pem(directory, 'ca.crt'), key: pem(directory, 'ca.key') },
      }),
      settings: parseSettings(options.controllerFlags),
      ...(this.#informers && { informers: this.#informers.informers }),
      ...(this.#simulation && { after: this.#simulation.started }),
      log: createLogger('controllers', verbosityOf(options.serviceFlags), this.#log),
      onFailure: (error) => this.#failure.reject(new StartupError(`the controllers cannot run: ${explain(error)}`)),
    });
    if (this.#simulation !== undefined) await this.#untilSimulated(this.#simulation);
    this.ready = !this.#stopping;
  }

  #startSimulation(chain: InProcessChain, simulation: SimulateOptions, { serviceFlags }: UpOptions): void {
    this.stage = registrationStage(simulation);
    const { pki } = this.#directory;
    const log = createLogger('simulation', verbosityOf(serviceFlags), this.#log);
    this.#informers = hostInformers(chain, log);
    this.#simulation = hostSimulation(chain, {
      nodes: simulation.nodes,
      stageFiles: simulation.stages,
      scheduler: simulation.scheduler,
      metrics: true,
      informers: this.#informers.informers,
      pki,
      log,
      onFailure: (error) => this.#failure.reject(simulationFailed(error)),
    });
  }

  /** The chain is ready with its nodes. Throws StartupError if they cannot be simulated. */
  async #untilSimulated(simulation: HostedSimulation): Promise<void> {
    const late = new AbortController();
    try {
      const outcome = await Promise.race([
        simulation.synced,
        this.#stopRequested.promise,
        sleep(registrationTimeoutMs, 'late' as const, { signal: late.signal }),
      ]);
      if (outcome === 'late') warn(lateNodes(this.#directory.logs));
    } catch (error) {
      throw simulationFailed(error);
    } finally {
      late.abort();
    }
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.#stopRequested.resolve();
    // Waits for a start in progress, so that everything it opens is closed.
    await Promise.race([this.#starting, this.failed]).catch(() => undefined);
    await closeAll([
      // `failed` has told why the simulation or the controllers could not run.
      () => this.#simulation?.stop().catch(() => undefined),
      () => this.#controllers?.stop().catch(() => undefined),
      () => this.#informers?.stop(),
      () => this.#chain?.stop(),
      () => this.#etcd?.close(),
      () => this.#realEtcd?.stop(stopGraceMs),
      () => rmSync(this.#directory.pids, { force: true }),
      () => removeStoreUrl(this.#directory),
      () => this.#stopSurviving(),
      () => this.#log.close(),
    ]);
  }

  #destination({ showRequests: isShown }: UpOptions): { write(line: string): void } {
    if (!isShown || isInBackground()) return this.#log;
    return {
      write: (line) => {
        this.#log.write(line);
        if (this.ready) showRequests(line);
      },
    };
  }

  #storeProblem(problem: string | undefined): void {
    const text = problem ?? 'the store can be written again';
    warn(text);
    const logger = createLogger('embedded-etcd', 0, this.#log);
    if (problem === undefined) logger.info(text);
    else logger.error(text);
  }

  #pids(): Record<string, number | undefined> {
    return { apichain: process.pid, ...(this.#realEtcd === undefined ? {} : { etcd: this.#realEtcd.pid }) };
  }

  async activity(): Promise<Activity | undefined> {
    return this.#chain === undefined ? undefined : activityFrom(await this.#chain.activity());
  }

  keepSeed(): void {
    this.#seed?.keep();
  }

  async restoreSeed(): Promise<boolean> {
    if (this.#seed === undefined || this.#chain === undefined) return false;
    await this.#seed.restore(this.#chain);
    return true;
  }

  warnings(): string[] {
    return [...(this.#chain?.warnings ?? [])];
  }

  async #startStore(options: UpOptions): Promise<string> {
    const directory = this.#directory;
    if (storeKindOf(directory, options) === 'etcd') {
      const { process, url } = await startEtcdOf(directory, warn);
      this.#realEtcd = process;
      return url;
    }
    try {
      this.#etcd = await startEmbeddedEtcd({
        listen: { socketPath: directory.socket },
        inProcess: true,
        onProblem: (problem) => this.#storeProblem(problem),
        ...(options.memory ? { memory: true } : { dataDir: directory.embeddedEtcd }),
      });
      this.#seed = Seed.of(this.#etcd);
      return this.#etcd.url;
    } catch (error) {
      throw new StartupError(explain(error));
    }
  }
}

/** The last `--v` takes precedence, as in the services. The services report an invalid value. */
function verbosityOf(flags: readonly string[]): number {
  const given = flags.findLast((flag) => /^--v=\d+$/.test(flag));
  return given === undefined ? 0 : Number(given.slice('--v='.length));
}

function explain(error: unknown): string {
  if (error instanceof FlagError) return `${error.message} (see apichain up --help)`;
  return errorMessage(error).replaceAll('\n', ' ');
}
