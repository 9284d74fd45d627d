import type { HostedSimulationOptions } from '@apichain/chain';
import type { CertificatePair } from '@apichain/serving/certificates';
import type { ApiServiceOptions } from './api-services.ts';
import type { AuditEvent, AuditOptions } from './audit.ts';
import type { ChainClock } from './time/clock.ts';
import type { Faults } from './faults.ts';
import type { Manifest } from './manifests.ts';
import type { RecordedRequest } from './recorded-requests.ts';
import type { ChainSnapshot } from './snapshots.ts';
import type { ClientConfig, TestUser, UserOptions } from './users.ts';
import type { WebhookOptions, WebhookServing } from './webhooks/serving.ts';
import type { Workloads } from './workloads/workloads.ts';

/** Options of `startChain`. */
export interface StartChainOptions {
  /** CustomResourceDefinitions. They are established and served when the chain has started. */
  readonly crds?: readonly Manifest[];
  /** Further initial objects, applied in order before webhooks take effect. */
  readonly manifests?: readonly Manifest[];
  /** Users that are created at the start. `chain.users` has them by name. */
  readonly users?: readonly UserOptions[];
  /** Admission and conversion webhooks that this process serves. */
  readonly webhooks?: WebhookOptions;
  /** Extension API servers that this process serves. */
  readonly apiServices?: readonly ApiServiceOptions[];
  /** The requests for which audit events and bodies are recorded. Default: none. */
  readonly audit?: AuditOptions;
  /** `true` starts the controllers of `apichain up --controllers=*`; a list selects controllers in the syntax of that flag. Default: none. */
  readonly controllers?: boolean | readonly string[];
  /**
   * Simulates nodes that run pods without containers, with a scheduler and the controllers of workloads: Deployments become ready, Jobs complete. `true`
   * stands for three nodes. The clock is virtual then, unless `clock` says otherwise. Default: none.
   */
  readonly workloads?: boolean | WorkloadOptions;
  /**
   * `machine` (the default without a seed): the clock runs with the time of the machine. `virtual`: it stands still until the test moves it, and
   * nothing waits in real time; a Date is the time at which a virtual clock begins, instead of the present.
   */
  readonly clock?: 'machine' | 'virtual' | Date;
  /**
   * Two runs with the same seed make the same writes in the same order, at the same times: it determines names, uids and the order in which requests
   * and events of watches that are concurrent proceed. Controllers and what `run` starts then only work while the chain settles: during `settle`,
   * `clock.advance` and `run`. The clock is virtual and begins in 2030.
   */
  readonly seed?: number;
  /** The address and port of the API server. Defaults: 127.0.0.1 and any free port. */
  readonly bindAddress?: string;
  readonly port?: number;
  /** Further flags of kube-apiserver, for example `--runtime-config=api/all=true`. */
  readonly flags?: readonly string[];
  /** Is called with every line of the servers' logs, as JSON. By default, logs are discarded. */
  readonly log?: (line: string) => void;
  /**
   * Uses the cluster of the current context of KUBECONFIG, or of ~/.kube/config, instead of a chain. Default: whether the environment variable
   * APICHAIN_USE_EXISTING_CLUSTER is `true`.
   */
  readonly useExistingCluster?: boolean;
}

/** What `startChain({ workloads })` simulates. */
export interface WorkloadOptions {
  /** The number of nodes, named `node-1` and so on, or each of them. Default: 3. */
  readonly nodes?: HostedSimulationOptions['nodes'];
  /** Stages beside the default ones, as files, YAML texts or objects. One with the name of a default stage takes its place. */
  readonly stages?: readonly Manifest[];
  /** Whether pods are scheduled. Default: true. */
  readonly scheduler?: boolean;
  /** Whether metrics.k8s.io is served, for horizontal autoscaling. Default: false. */
  readonly metrics?: boolean;
  /** As the option `seed` of `startChain`. */
  readonly seed?: number;
}

/**
 * An independent Kubernetes API with its own port, store in memory and certificate authority. With an existing cluster, members that need a server
 * in this process throw Error.
 */
export interface TestChain extends AsyncDisposable {
  /** Whether this is an existing cluster. A test skips with it what such a cluster cannot do, such as faults. */
  readonly isExistingCluster: boolean;
  /** `https://127.0.0.1:port`. */
  readonly url: string;
  /** The administrator's kubeconfig, as text and as a file. */
  readonly kubeconfig: string;
  readonly kubeconfigFile: string;
  readonly adminConfig: ClientConfig;
  readonly admin: TestUser;
  readonly users: Readonly<Record<string, TestUser>>;
  /** Creates a user with a client certificate. */
  addUser(user: UserOptions): Promise<TestUser>;
  /** Creates or updates objects. Waits until CustomResourceDefinitions among them are served, and rights and policies are in force. */
  apply(...manifests: readonly Manifest[]): Promise<void>;
  /** The address and certificates of the webhooks. Throws Error when the chain was started without webhooks. */
  readonly webhooks: WebhookServing;
  /** Registers an extension API server and waits until it is available. */
  addApiService(options: ApiServiceOptions): Promise<void>;
  /** Issues a serving certificate that the chain trusts, for host names and addresses. */
  issueServing(hosts: readonly string[]): Promise<CertificatePair>;
  /** Takes a snapshot of the store. */
  snapshot(): ChainSnapshot;
  /**
   * Restores the store from a snapshot, within milliseconds. resourceVersions keep growing: watches report the differences as ordinary
   * events. Resolves when discovery reflects the CRDs that were added or removed, and rights and policies are in force.
   */
  restore(snapshot: ChainSnapshot): Promise<void>;
  readonly faults: Faults;
  readonly clock: ChainClock;
  /** The simulated workloads. Throws Error when the chain was started without them. */
  readonly workloads: Workloads;
  /**
   * Resolves when nothing is left to do at this time of the clock: no request is in flight, and the controllers of the chain and all that `run` started
   * have handled every change. Pauses of up to a second before another attempt are over then. Rejects with what is still under way when nothing
   * has happened for ten seconds, or when it goes on for a minute.
   */
  settle(): Promise<void>;
  /**
   * Runs `action`, which starts an operator of this process for example, and all that follows from it by the clock of this chain. `settle` waits for
   * its informers, queues and requests, if they are those of `apichain/client`. With a seed the chain goes on until the promise of `action` is settled.
   */
  run<T>(action: () => T | Promise<T>): Promise<T>;
  /** The recorded client requests, oldest first. */
  readonly requests: readonly RecordedRequest[];
  /** Clears the recorded requests and the audit events. */
  clearRequests(): void;
  /** The audit events of client requests, as the option `audit` selects them, oldest first. */
  readonly auditEvents: readonly AuditEvent[];
  /** Stops everything that was started and removes its files. May be called more than once. */
  stop(): Promise<void>;
}
