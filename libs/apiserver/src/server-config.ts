import type { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Authenticator, ChainProxies, TokenAuthenticator, UserInfo } from '@apichain/authn';
import type { Authorizer } from '@apichain/authz';
import type { Tracer } from '@apichain/client';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Audit } from '@apichain/audit';
import type { GroupVersionInstaller } from './api-group.ts';
import type { DelegationTarget } from '@apichain/delegation';
import type { FollowedFiles } from '@apichain/serving';
import type { Filter } from '@apichain/request';
import type { FlowControlSource } from '@apichain/flowcontrol';
import type { PostStartHook } from '@apichain/observability';
import type { ListenerOptions } from '@apichain/serving';
import type { FeatureGates } from '@apichain/apiserver-options';
import type { ProtobufCodec } from '@apichain/request';
import type { DebugPages } from './system-paths.ts';
import type { VersionInfo } from '@apichain/request';

export interface ServerLimits {
  /** Milliseconds a short request may take. */
  readonly requestTimeoutMs: number;
  /** Milliseconds a watch without timeoutSeconds lasts at least; at most twice that. */
  readonly minRequestTimeoutMs: number;
  /** 0 = no limit. */
  readonly maxRequestsInFlight: number;
  readonly maxMutatingRequestsInFlight: number;
  /** Between failing readiness and refusing work. */
  readonly shutdownDelayMs: number;
  /** Milliseconds over which watches are ended; 0 = all at once. */
  readonly shutdownWatchGraceMs: number;
  /** At shutdown the port stays open until all requests are answered, and further ones get 429 with Retry-After. */
  readonly shutdownSendRetryAfter?: boolean;
  /** For so long after the start `/livez` does not mind post-start hooks that have not finished. */
  readonly livezGraceMs?: number;
  /** The part of HTTP/2 requests after which the connection ends, so that clients spread; at most 0.02. */
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

/** What a server is made of, complete and valid: the result of the options. */
export interface ServerConfig {
  /** Of the service, for logs: `kube-core`. */
  readonly name: string;
  readonly serving: ListenerOptions;
  /** Certificates and authorities whose files are followed while the server runs. */
  readonly files?: FollowedFiles;
  /** Recognises front proxies; undefined = their headers are ignored. */
  readonly requestHeader?: {
    authenticate(request: IncomingMessage): UserInfo | undefined;
    /** Whether the certificate is a front proxy's. */
    vouches?(certificate: X509Certificate): boolean;
    /** Drops the headers in which a client may have said who it is. */
    clear?(request: IncomingMessage): void;
  };
  /** Everybody else, anonymous included. */
  readonly authenticator: Authenticator;
  /** The part of it that knows bearer tokens, for whoever reviews them. */
  readonly tokens?: TokenAuthenticator;
  /** Answers every question whether somebody may do something, of the filters, of admission and of the handlers. */
  readonly authorizer: Authorizer;
  /** Front proxies whose requests count as authorized by them. */
  readonly chainProxies: ChainProxies;
  /** The next server of the chain; undefined = this is the last one. */
  readonly delegate?: DelegationTarget;
  /** Which requests are told of in events, and where; undefined = none. */
  readonly audit?: Audit;
  /** Further filters, between authentication and authorization: the user is known, the request's verb and resource too. */
  readonly filters?: readonly Filter[];
  /** Makes the handlers of installed group-versions. */
  readonly installer: GroupVersionInstaller;
  /** For documents and errors that clients want as protobuf; without it they get JSON. */
  readonly protobuf?: ProtobufCodec;
  /** Of the configuration itself, e.g. what keeps the authorizer's copy of the rules up to date. */
  readonly postStartHooks?: readonly (readonly [name: string, hook: PostStartHook])[];
  readonly limits: ServerLimits;
  /** False = `flowControl` is of no account. */
  readonly priorityAndFairness?: boolean;
  /** What priority and fairness is configured by; without it requests are limited by the two numbers alone. */
  readonly flowControl?: FlowControlSource;
  readonly corsAllowedOrigins: readonly string[];
  readonly strictTransportSecurityDirectives: readonly string[];
  /** Absent = all but `/flagz`. */
  readonly pages?: DebugPages;
  /** Of the Unix socket that serves profiles and the verbosity for every user who can open it. */
  readonly debugSocketPath?: string;
  readonly features?: FeatureGates;
  /** Records spans of requests; closed with the server. */
  readonly tracer?: Tracer;
  readonly version?: VersionInfo;
  readonly metricsRegistry?: Registry;
  readonly logger: Logger;
  /** Told when the server cannot go on, e.g. a post-start hook failed; main stops the process. */
  readonly onFatal?: (error: Error) => void;
}
