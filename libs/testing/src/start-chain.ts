import { join } from 'node:path';
import {
  hostControllers,
  hostInformers,
  hostSimulation,
  kubeletFlags,
  startInProcessChain,
  type HostedControllers,
  type HostedControllersOptions,
  type HostedInformers,
  type HostedSimulation,
  type InProcessChain,
} from '@apichain/chain';
import { apiSetOf } from '@apichain/apiserver-options/api-sets';
import { certificateFlags, simulationHosts } from '@apichain/chain/setup';
import { selectControllers, withWorkloadControllers } from '@apichain/controllers/selection';
import { createLogger, type Filter, type Logger } from '@apichain/request';
import { issueServing, type CertificatePair } from '@apichain/serving/certificates';
import { RestClient, type SharedInformers } from '@apichain/client';
import { followCrds, listCrds } from '@apichain/client/manifests';
import { startEmbeddedEtcd, type EmbeddedEtcd, type StoreContents } from '@apichain/embedded-etcd';
import { closeAll } from '@apichain/meta';
import type { ApiServiceOptions, ApiServices } from './api-services.ts';
import { applyObjects } from './apply.ts';
import { AuditRecorder, type AuditEvent } from './audit.ts';
import { checkApiService, checkStartChainOptions, checkUser } from './check-options.ts';
import { attachToCluster, isExistingClusterAsked } from './existing-cluster.ts';
import { Faults } from './faults.ts';
import { respondingInForce } from './in-force.ts';
import { initialObjects, readManifests, type Manifest, type SourcedObject } from './manifests.ts';
import { takePki, type ChainPki } from './reused-pki.ts';
import { RecordedRequests, type RecordedRequest } from './recorded-requests.ts';
import { initialContentsOf, restoreSnapshot, takeSnapshot, type ChainSnapshot } from './snapshots.ts';
import { makeTemporaryDirectory, removeTemporaryDirectory } from './temporary-directory.ts';
import type { StartChainOptions, TestChain, WorkloadOptions } from './test-chain.ts';
import type { ChainClock } from './time/clock.ts';
import { ChainTime, seededStart } from './time/chain-time.ts';
import { reportingInFlight } from './time/in-flight.ts';
import { Users, type ClientConfig, type TestUser, type UserOptions } from './users.ts';
import type { Workloads } from './workloads/workloads.ts';
import { withWebhookAt } from './webhooks/rewrite.ts';
import type { RunningWebhooks, WebhookServing } from './webhooks/serving.ts';

/** What a store contains after the start of a chain, by flags. The first chain of this process with these flags makes it, later ones start with it. */
const initialContents = new Map<string, StoreContents>();

/**
 * Starts a chain for a test. Any number of chains may run in one process. With `useExistingCluster` it attaches to a cluster instead. Throws
 * TypeError that names an unknown option, Error when an option is invalid, or when a manifest cannot be read or is refused. In that case nothing
 * keeps running.
 */
export async function startChain(options: StartChainOptions = {}): Promise<TestChain> {
  checkStartChainOptions(options);
  if (isExistingClusterAsked(options)) return attachToCluster(options);
  const objects = initialObjects(options);
  const running = new RunningTestChain(options);
  try {
    await running.start();
    await running.applyObjects(objects.crds);
    for (const user of options.users ?? []) await running.addUser(user);
    for (const apiService of options.apiServices ?? []) await running.addApiService(apiService);
    await running.applyObjects([...objects.manifests, ...objects.webhooks]);
    return running;
  } catch (error) {
    await running.stop();
    throw error;
  }
}

class RunningTestChain implements TestChain {
  readonly isExistingCluster = false;
  readonly faults = new Faults();
  readonly users: Record<string, TestUser> = {};
  readonly #time: ChainTime;
  readonly #options: StartChainOptions;
  readonly #requests: RecordedRequests;
  /** What is simulated, if anything is. */
  readonly #simulated: WorkloadOptions | undefined;
  readonly #audit: AuditRecorder | undefined;
  readonly #directory = makeTemporaryDirectory();
  #pki: ChainPki | undefined;
  #etcd: EmbeddedEtcd | undefined;
  #chain: InProcessChain | undefined;
  #controllers: HostedControllers | undefined;
  #simulation: HostedSimulation | undefined;
  #informers: HostedInformers | undefined;
  #workloads: Workloads | undefined;
  #client: RestClient | undefined;
  #people: Users | undefined;
  #admin: TestUser | undefined;
  #webhooks: RunningWebhooks | undefined;
  #apiServices: Promise<ApiServices> | undefined;
  #stopped: Promise<void> | undefined;

  constructor(options: StartChainOptions) {
    this.#options = options;
    const { audit = false, workloads } = options;
    this.#simulated = workloads === undefined || workloads === false ? undefined : workloads === true ? {} : workloads;
    const seed = options.seed ?? this.#simulated?.seed;
    const standard = seed !== undefined ? seededStart : this.#simulated === undefined ? 'machine' : 'virtual';
    const { clock = standard } = options;
    const etcdPrefix = etcdPrefixOf(options.flags);
    this.#time = new ChainTime({ clock, seed, etcdPrefix }, () => this.#etcd);
    this.#audit = audit === false ? undefined : new AuditRecorder(audit);
    this.#requests = new RecordedRequests(this.#audit?.evaluator);
  }

  async start(): Promise<void> {
    const { bindAddress = '127.0.0.1', flags = [], webhooks } = this.#options;
    const key = JSON.stringify(flags);
    const initial = initialContents.get(key);
    const pki = join(this.#directory, 'pki');
    const hosts = [
      ...(isWildcard(bindAddress) ? [] : [bindAddress]),
      ...(this.#simulated === undefined ? [] : simulationHosts),
    ];
    const [etcd, taken] = await Promise.all([this.#startEtcd(initial), takePki(pki, hosts)]);
    this.#pki = taken;
    await this.#startServers(etcd.url, pki);
    this.#client = new RestClient(there(this.#chain).connect('apichain-testing'));
    this.#people = new Users(this.url, this.#directory);
    this.#admin = this.#people.admin();
    if (initial === undefined) initialContents.set(key, initialContentsOf(etcd));
    if (webhooks !== undefined) {
      const { RunningWebhooks } = await import('./webhooks/serving.ts');
      const directory = join(this.#directory, 'webhooks');
      this.#webhooks = await RunningWebhooks.start(webhooks, this.#people.authority, directory);
    }
    await this.#beginSequence();
    const simulated = this.#simulated;
    if (simulated === undefined) return this.#startControllers({});
    const problems: string[] = [];
    const log = this.#noting(problems);
    this.#informers = hostInformers(there(this.#chain), log);
    const { informers } = this.#informers;
    const simulation = this.#hostSimulation(simulated, { pki, informers, log });
    this.#startControllers({ informers, after: simulation.started });
    await this.#untilSimulated(simulation, problems);
  }

  /** With a seed nothing of the servers' own may come in between. */
  async #beginSequence(): Promise<void> {
    if (!this.#time.isSeeded) return;
    await there(this.#chain).rested();
    this.#time.beginSequence();
  }

  async #startServers(etcdUrl: string, pki: string): Promise<void> {
    const { bindAddress = '127.0.0.1', port = 0, flags = [], log = () => undefined } = this.#options;
    const failure = Promise.withResolvers<never>();
    const { activity, serve } = this.#time;
    const byOurClock: Filter = (_request, _response, next) => serve(next);
    const inFlight = reportingInFlight(activity);
    await serve(async () => {
      this.#chain = await startInProcessChain({
        flags: [
          `--etcd-servers=${etcdUrl}`,
          `--bind-address=${bindAddress}`,
          `--secure-port=${port}`,
          '--allow-privileged=true',
          ...certificateFlags(pki),
          ...(this.#simulated === undefined ? [] : [...kubeletFlags(pki), ...authorizers(flags)]),
          ...flags,
        ],
        logger: (service) => createLogger(service, 0, { write: log }),
        onFatal: (error) => failure.reject(error),
        ...(this.#audit === undefined ? {} : { audit: this.#audit.audit }),
        filters: [byOurClock, inFlight, this.#requests.filter, this.faults.filter, respondingInForce(this.#upToDate)],
      });
      await Promise.race([this.#chain.ready(), failure.promise]);
    });
  }

  readonly #upToDate = (): Promise<void> => there(this.#chain).upToDate();

  async #startEtcd(initial: StoreContents | undefined): Promise<EmbeddedEtcd> {
    const etcd = await startEmbeddedEtcd({ memory: true, inProcess: true });
    this.#etcd = etcd;
    if (initial !== undefined) await etcd.restore(initial);
    return etcd;
  }

  #startControllers(sharing: Partial<HostedControllersOptions>): void {
    const isSimulated = this.#simulated !== undefined;
    const { controllers = isSimulated, flags = [], log = () => undefined } = this.#options;
    if (controllers === false) return;
    const list = controllers === true ? ['*'] : controllers;
    const { serves } = apiSetOf(flags);
    const names = selectControllers(isSimulated ? withWorkloadControllers(list, serves) : list, serves);
    const signer = there(this.#people).authority;
    const options = { rootCa: this.admin.ca, signer, log: createLogger('controllers', 0, { write: log }), ...sharing };
    this.#controllers = this.#time.run(() => hostControllers(there(this.#chain), names, options));
  }

  /** The log of the simulation, which adds the first messages of errors to `problems`. */
  #noting(problems: string[]): Logger {
    const { log = () => undefined } = this.#options;
    const write = (line: string) => {
      const { level, error } = JSON.parse(line) as { level: number; error?: string };
      if (level >= errorLevel && error !== undefined && problems.length < shownProblems) problems.push(error);
      log(line);
    };
    return createLogger('simulation', 0, { write });
  }

  #hostSimulation(
    { nodes = 3, stages = [], scheduler = true, metrics = false }: WorkloadOptions,
    { pki, informers, log }: { pki: string; informers: SharedInformers; log: Logger },
  ): HostedSimulation {
    const simulation = this.#time.run(() =>
      hostSimulation(there(this.#chain), {
        nodes,
        stages: readManifests(stages).map(({ object }) => object),
        scheduler,
        metrics,
        informers,
        pki,
        log,
      }),
    );
    this.#simulation = simulation;
    return simulation;
  }

  /** Resolves when the nodes are registered and ready. */
  async #untilSimulated(simulation: HostedSimulation, problems: readonly string[]): Promise<void> {
    let isSynced = false;
    void simulation.synced.then(() => (isSynced = true));
    await this.settle();
    if (!isSynced) throw new Error(`the nodes could not be registered: ${problems.join('; ')}`);
    const { SimulatedWorkloads } = await import('./workloads/workloads.ts');
    this.#workloads = new SimulatedWorkloads(there(this.#client), this.#time, simulation);
  }

  get workloads(): Workloads {
    if (this.#workloads === undefined) throw new Error('the chain simulates no workloads: start it with `workloads`');
    return this.#workloads;
  }

  get clock(): ChainClock {
    return this.#time.clock;
  }

  settle(): Promise<void> {
    return this.#time.activity.settle();
  }

  run<T>(action: () => T | Promise<T>): Promise<T> {
    return this.#time.activity.during(this.#time.run(async () => action()));
  }

  get url(): string {
    const { bindAddress = '127.0.0.1' } = this.#options;
    const host = isWildcard(bindAddress) ? '127.0.0.1' : bindAddress;
    return `https://${host.includes(':') ? `[${host}]` : host}:${there(this.#chain).port}`;
  }

  get admin(): TestUser {
    return there(this.#admin);
  }

  get kubeconfig(): string {
    return this.admin.kubeconfig;
  }

  get kubeconfigFile(): string {
    return this.admin.kubeconfigFile;
  }

  get adminConfig(): ClientConfig {
    return this.admin.config;
  }

  get requests(): readonly RecordedRequest[] {
    return this.#requests.list;
  }

  clearRequests(): void {
    this.#requests.list.length = 0;
    this.#audit?.clear();
  }

  get auditEvents(): readonly AuditEvent[] {
    return this.#audit?.events ?? [];
  }

  async addUser(options: UserOptions): Promise<TestUser> {
    checkUser(options);
    const user = await there(this.#people).add(options);
    this.users[user.name] = user;
    return user;
  }

  get webhooks(): WebhookServing {
    if (this.#webhooks === undefined) throw new Error('the chain has no webhooks: start it with `webhooks`');
    return this.#webhooks;
  }

  async addApiService(options: ApiServiceOptions): Promise<void> {
    checkApiService(options);
    this.#apiServices ??= this.#makeApiServices();
    await (await this.#apiServices).add(options);
  }

  async #makeApiServices(): Promise<ApiServices> {
    const { ApiServices } = await import('./api-services.ts');
    const { authority: ca, frontProxyCa } = there(this.#people);
    return new ApiServices(there(this.#client), { ca, frontProxyCa });
  }

  issueServing(hosts: readonly string[]): Promise<CertificatePair> {
    return issueServing(there(this.#people).authority, hosts[0]?.slice(0, 64) ?? 'test', hosts);
  }

  async apply(...manifests: readonly Manifest[]): Promise<void> {
    await this.applyObjects(readManifests(manifests));
  }

  async applyObjects(objects: readonly SourcedObject[]): Promise<void> {
    const webhooks = this.#webhooks;
    const target = { client: there(this.#client), upToDate: this.#upToDate };
    const served = ({ object, ...rest }: SourcedObject) =>
      webhooks === undefined ? { object, ...rest } : { object: withWebhookAt(webhooks, object), ...rest };
    await applyObjects(target, objects.map(served));
  }

  snapshot(): ChainSnapshot {
    return takeSnapshot(there(this.#etcd));
  }

  async restore(snapshot: ChainSnapshot): Promise<void> {
    const client = there(this.#client);
    const before = await listCrds(client);
    await restoreSnapshot(there(this.#etcd), snapshot);
    await followCrds(client, before);
    await this.#upToDate();
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    this.faults.clear();
    this.#time.activity.end();
    await closeAll([
      () => this.#simulation?.stop(),
      () => this.#controllers?.stop(),
      () => this.#informers?.stop(),
      () => this.#client?.close(),
      () => this.#chain?.stop(shutdownTimeoutMs),
      () => this.#webhooks?.close(),
      async () => (await this.#apiServices)?.close(),
      () => this.#etcd?.close(),
      () => this.#pki?.release(),
      () => removeTemporaryDirectory(this.#directory),
    ]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

/** The level of errors in a log, and how many of them the message about a failed start has. */
const errorLevel = 50;
const shownProblems = 3;

/** How long `stop` waits for requests in progress, such as a webhook that hangs or an incomplete body. Their results are no longer needed. */
const shutdownTimeoutMs = 50;

/** The kubelets and the scheduler have users of their own. The default modes are left out when the test chooses: repeated ones are merged. */
const authorizers = (flags: readonly string[]): readonly string[] =>
  flags.some((flag) => /^--authorization[-_](mode|config)=/.test(flag)) ? [] : ['--authorization-mode=Node,RBAC'];

/** Where `--etcd-prefix` among the flags says that keys begin. */
function etcdPrefixOf(flags: readonly string[] = []): string {
  const flag = flags.findLast((text) => text.startsWith('--etcd-prefix='));
  return flag === undefined ? '/registry' : `/${flag.slice('--etcd-prefix='.length).replace(/^\/|\/$/g, '')}`;
}

const isWildcard = (address: string): boolean => address === '0.0.0.0' || address === '::';

/** Throws Error if the part does not exist because the chain has not been started, or not completely. */
function there<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('the chain has not been started');
  return part;
}
