import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type {
  Authenticator,
  ChainProxies,
  ServiceAccountTokenCounts,
  TokenAuthenticator,
  UserInfo,
} from '@apichain/authn';
import type { AuthorizationDecisions, Authorizer } from '@apichain/authz';
import type { Tracer } from '@apichain/client';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Audit } from '@apichain/audit';
import type { GroupVersionInstaller } from './api-group.ts';
import type { DelegationTarget } from '@apichain/delegation';
import type { FollowedFiles } from '@apichain/serving';
import type { Filter, RequestObserver } from '@apichain/request';
import type { FlowControlSource } from '@apichain/flowcontrol';
import type { PostStartHook } from '@apichain/observability';
import type { ListenerOptions } from '@apichain/serving';
import type { FeatureGates } from '@apichain/apiserver-options';
import type { ProtobufCodec } from '@apichain/request';
import type { ReadOnlyServing } from './storage/read-only.ts';
import type { DebugPages } from './system-paths.ts';
import type { VersionInfo } from '@apichain/request';
import type { Worker } from '@apichain/workers';

export interface ServerLimits {
  /** Milliseconds; the timeout of short requests. */
  readonly requestTimeoutMs: number;
  /** Milliseconds; the minimum duration of a watch without timeoutSeconds. The maximum is twice that. */
  readonly minRequestTimeoutMs: number;
  /** 0 = no limit. */
  readonly maxRequestsInFlight: number;
  readonly maxMutatingRequestsInFlight: number;
  /** Milliseconds between failing readiness and refusing requests. */
  readonly shutdownDelayMs: number;
  /** Milliseconds over which watches are ended; 0 = all at once. */
  readonly shutdownWatchGraceMs: number;
  /** At shutdown the port stays open until all requests are answered, and new requests get 429 with Retry-After. */
  readonly shutdownSendRetryAfter?: boolean;
  /** Milliseconds after the start during which `/livez` ignores post-start hooks that have not finished. */
  readonly livezGraceMs?: number;
  /** The fraction of HTTP/2 requests after which the connection is closed, to spread clients over the servers; at most 0.02. */
  readonly goawayChance?: number;
}

export const defaultLimits: ServerLimits = {
  requestTimeoutMs: 60_000,
  minRequestTimeoutMs: 1_800_000,
  maxRequestsInFlight: 400,
  maxMutatingRequestsInFlight: 200,
  shutdownDelayMs: 0,
  shutdownWatchGraceMs: 0,
};

/** The complete, validated configuration of a server: the result of the options. */
export interface ServerConfig {
  /** The name of the service in logs: `kube-core`. */
  readonly name: string;
  readonly serving: ListenerOptions;
  /** Certificate and CA files that are reloaded while the server runs. */
  readonly files?: FollowedFiles;
  /** Authenticates front proxies; undefined = their headers are ignored. */
  readonly requestHeader?: {
    authenticate(request: IncomingMessage): UserInfo | undefined;
    /** Whether a connection is that of a front proxy. */
    vouches?(connection: TLSSocket): boolean;
    /** Removes the identity headers that a client may have set. */
    clear?(request: IncomingMessage): void;
  };
  /** Authenticates all other requests, including anonymous ones. */
  readonly authenticator: Authenticator;
  /** The authenticator's part for bearer tokens, used by TokenReview. */
  readonly tokens?: TokenAuthenticator;
  /** Decides all authorization checks: those of filters, admission and handlers. */
  readonly authorizer: Authorizer;
  /** What the parts of the authorizer have decided, for the metrics. */
  readonly authorizationDecisions?: AuthorizationDecisions;
  /** The uses of tokens of service accounts, for the metrics. */
  readonly tokenCounts?: ServiceAccountTokenCounts;
  /** Front proxies whose requests are already authorized. */
  readonly chainProxies: ChainProxies;
  /** The next server of the chain; undefined = this is the last one. */
  readonly delegate?: DelegationTarget;
  /**
   * Reads what was written before a request for a resource that the server does not know: another process may have served its definition already.
   * Resolves true when it found anything new. Rejects with the errors of a read.
   */
  readonly catchUp?: (signal: AbortSignal) => Promise<boolean>;
  /** The audit policy and its backends; undefined = no audit events. */
  readonly audit?: Audit;
  /** Further filters between authentication and authorization. The user and the request's verb and resource are set by then. */
  readonly filters?: readonly Filter[];
  /** Told of each finished request of a client. Without one, requests are not measured. */
  readonly requestObservers?: readonly RequestObserver[];
  /** Makes the handlers of installed group-versions. */
  readonly installer: GroupVersionInstaller;
  /** Encodes documents and errors for clients that accept protobuf; without it they get JSON. */
  readonly protobuf?: ProtobufCodec;
  /** Hooks of the configuration, e.g. the one that keeps the authorizer's copy of the rules up to date. */
  readonly postStartHooks?: readonly (readonly [name: string, hook: PostStartHook])[];
  /** Set when the server only shows what is stored: writes are refused. */
  readonly readOnly?: ReadOnlyServing;
  readonly limits: ServerLimits;
  /** False = `flowControl` is ignored. */
  readonly priorityAndFairness?: boolean;
  /** The configuration of priority and fairness; without it only the max-in-flight limits apply. */
  readonly flowControl?: FlowControlSource;
  readonly corsAllowedOrigins: readonly string[];
  readonly strictTransportSecurityDirectives: readonly string[];
  /** Absent = all pages except `/flagz`. */
  readonly pages?: DebugPages;
  /** The Unix socket that serves profiles and the log verbosity. Every user who can open the socket has access. */
  readonly debugSocketPath?: string;
  readonly features?: FeatureGates;
  /** Records spans of requests. It is closed with the server. */
  readonly tracer?: Tracer;
  readonly version?: VersionInfo;
  readonly metricsRegistry?: Registry;
  /** This process, when several serve together. Then it does only its part of what a service does once. */
  readonly worker?: Worker;
  readonly logger: Logger;
  /** Called when the server cannot continue, e.g. after a post-start hook failed; main stops the process. */
  readonly onFatal?: (error: Error) => void;
}
