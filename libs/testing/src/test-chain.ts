import type { CertificatePair } from '@apichain/serving/certificates';
import type { ApiServiceOptions } from './api-services.ts';
import type { AuditEvent, AuditOptions } from './audit.ts';
import type { ChainClock } from './clock.ts';
import type { Faults } from './faults.ts';
import type { Manifest } from './manifests.ts';
import type { RecordedRequest } from './recorded-requests.ts';
import type { ChainSnapshot } from './snapshots.ts';
import type { ClientConfig, TestUser, UserOptions } from './users.ts';
import type { WebhookOptions, WebhookServing } from './webhooks/serving.ts';

/** Options of `startChain`. */
export interface StartChainOptions {
  /** CustomResourceDefinitions; when the chain has started they are established and served. */
  readonly crds?: readonly Manifest[];
  /** Whatever else should be there from the start, applied in order, before webhooks are in effect. */
  readonly manifests?: readonly Manifest[];
  /** Made at the start, found in `chain.users` by name. */
  readonly users?: readonly UserOptions[];
  /** Admission and conversion webhooks of this process. */
  readonly webhooks?: WebhookOptions;
  /** Extension API servers of this process. */
  readonly apiServices?: readonly ApiServiceOptions[];
  /** Of which requests there are audit events and bodies. Default: of none. */
  readonly audit?: AuditOptions;
  /** true: all of `apichain up --controllers=*`; a list: those, in the syntax of that flag. Default: none. */
  readonly controllers?: boolean | readonly string[];
  /** Where the API is served: default 127.0.0.1 and any free port. */
  readonly bindAddress?: string;
  readonly port?: number;
  /** Further flags of kube-apiserver: `--runtime-config=api/all=true`. */
  readonly flags?: readonly string[];
  /** Gets every line that the servers log, as JSON. Default: nobody. */
  readonly log?: (line: string) => void;
}

/** A Kubernetes API of its own: a port, a store in memory, a certificate authority. */
export interface TestChain extends AsyncDisposable {
  /** `https://127.0.0.1:port`. */
  readonly url: string;
  /** Of the administrator, as text and as a file. */
  readonly kubeconfig: string;
  readonly kubeconfigFile: string;
  readonly adminConfig: ClientConfig;
  readonly admin: TestUser;
  readonly users: Readonly<Record<string, TestUser>>;
  /** Makes a user with a client certificate. */
  addUser(user: UserOptions): Promise<TestUser>;
  /** Creates or updates objects and waits for CustomResourceDefinitions among them. */
  apply(...manifests: readonly Manifest[]): Promise<void>;
  /** Where the webhooks are served. Throws Error when the chain was started without. */
  readonly webhooks: WebhookServing;
  /** Registers an extension API server and waits until it is available. */
  addApiService(options: ApiServiceOptions): Promise<void>;
  /** A serving certificate that the chain trusts, for names and addresses. */
  issueServing(hosts: readonly string[]): Promise<CertificatePair>;
  /** What is stored now. */
  snapshot(): ChainSnapshot;
  /**
   * Puts back what was stored, in milliseconds. resourceVersions go on: clients that watch see the difference as ordinary events. Resolves
   * when the resources of CRDs that came or went are served accordingly.
   */
  restore(snapshot: ChainSnapshot): Promise<void>;
  readonly faults: Faults;
  readonly clock: ChainClock;
  /** What clients asked for, oldest first. */
  readonly requests: readonly RecordedRequest[];
  /** Forgets the recorded requests and the audit events. */
  clearRequests(): void;
  /** What an audit log would have of the requests of clients, as `audit` wants it, oldest first. */
  readonly auditEvents: readonly AuditEvent[];
  /** Ends everything that was started; nothing is left of it. May be called twice. */
  stop(): Promise<void>;
}
