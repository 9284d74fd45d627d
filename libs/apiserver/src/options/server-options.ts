import { posix } from 'node:path';
import {
  auditOf,
  authenticationOf,
  type AuthenticationParts,
  authorizationOf,
  type AuthorizationParts,
  type FollowedRights,
  corsOriginsOf,
  hstsDirectivesOf,
  FlagError,
  featureGatesOf,
  type FeatureGates,
  type KnownGates,
  etcdOverrides,
  type EtcdOverride,
  etcdCredentials,
  readPath,
  checkFlagsWithoutEffect,
  type ParsedFlags,
  chainProxiesOf,
  requestHeaderOf,
  servingOf,
  type FollowedAuthorities,
  tracerOf,
  uncachedResources,
} from '@apichain/apiserver-options';
import { HttpDelegationTarget, type LinkIdentity, type DelegationTarget } from '@apichain/delegation';
import type { EtcdCredentials } from '@apichain/etcd-client';
import type { PostStartHook } from '@apichain/observability';
import { createLogger, type Logger } from '@apichain/request';
import { FollowedFiles } from '@apichain/serving';
import type { ResourceStores, Storage } from '@apichain/storage';
import type { Worker } from '@apichain/workers';
import type { ServerConfig, ServerLimits } from '../server-config.ts';
import type { DebugPages } from '../system-paths.ts';
import type { ReadOnlyServing } from '../storage/read-only.ts';
import type { EncryptionOptions } from '../storage/encryption-at-rest.ts';
import { requestLog } from './request-log.ts';

/** What every server passes to `serverConfig` in addition to its flags. */
interface ServerParts {
  readonly name: string;
  readonly installer: ServerConfig['installer'];
  readonly protobuf?: ServerConfig['protobuf'];
  /** The feature gates of the served version; without them every name is accepted. */
  readonly featureGates?: KnownGates;
  readonly filters?: ServerConfig['filters'];
  readonly requestObservers?: ServerConfig['requestObservers'];
  /** The server only shows what is stored. */
  readonly readOnly?: ReadOnlyServing;
  /** Replaces the audit flags when several servers of one process share the audit backends. */
  readonly audit?: ServerConfig['audit'];
  readonly logger?: Logger;
  readonly worker?: Worker;
  readonly onFatal?: (error: Error) => void;
}

/** The parts of a server of the chain. */
export interface ServiceParts extends ServerParts {
  /** Whether this is the first server of the chain. Front proxies are then external, and their requests are authorized here. */
  readonly isFirst?: boolean;
  /** Replaces `--delegate-url` when the next server runs in this process. */
  readonly delegate?: DelegationTarget;
  /** The stores of Roles, service accounts and other built-in resources that a server reads. Used only after the start. */
  readonly stores: ResourceStores<Storage>;
  /** Whether this or a later server of the chain serves the service accounts of tokens; otherwise they are read from `stores`. */
  readonly reachesAccounts: boolean;
  /** Copies of roles and nodes for the authorizers, shared by the servers of one process. */
  readonly rights?: FollowedRights;
  /** Paths that every user may GET, whatever the authorizers decide. */
  readonly alwaysAllowPaths?: readonly string[];
}

/** The parts of an extension API server, which another server authenticates and authorizes for. It is not in the chain and has no next server. */
interface ExtensionParts extends ServerParts {
  readonly access: DelegatedAccess;
}

/** Authentication and authorization that are delegated to another server, and the files that were followed to configure them. */
export interface DelegatedAccess {
  readonly authentication: AuthenticationParts;
  readonly authorization: AuthorizationParts;
  /** Absent = the headers of front proxies are ignored. */
  readonly requestHeader?: NonNullable<ServerConfig['requestHeader']>;
  /** Authorities of client certificates that are not in the flags. */
  readonly clientCAs?: FollowedAuthorities;
  readonly files: FollowedFiles;
}

/** How a server is reached and by whom: the part that differs between servers of the chain and extension API servers. */
interface Access extends Omit<DelegatedAccess, 'requestHeader'> {
  readonly requestHeader?: ServerConfig['requestHeader'];
  readonly chainProxies: ServerConfig['chainProxies'];
  readonly delegate: DelegationTarget | undefined;
}

/** Throws FlagError. */
function accessOf(flags: ParsedFlags, parts: ServiceParts, logger: Logger): Access {
  const files = new FollowedFiles();
  const chainProxies = chainProxiesOf(flags, parts.isFirst === true);
  return {
    files,
    authentication: authenticationOf(
      flags,
      files,
      parts.reachesAccounts ? 'chain' : parts.stores,
      logger,
      parts.worker?.count,
    ),
    authorization: authorizationOf(flags, files, parts),
    chainProxies,
    requestHeader: requestHeaderOf(flags, files, chainProxies),
    delegate: parts.delegate ?? delegateOf(flags, files),
  };
}

/** The etcd flags: how to reach etcd and how to store objects. */
export interface EtcdOptions {
  readonly servers: readonly string[];
  /** Resources that are stored in another etcd. */
  readonly overrides: readonly EtcdOverride[];
  readonly prefix: string;
  /** Called for every new connection. */
  readonly credentials?: () => EtcdCredentials;
  readonly compactionIntervalMs: number;
  readonly healthTimeoutMs: number;
  readonly readyTimeoutMs: number;
  readonly leaseReuseSeconds: number;
  /** The resources (`events`, `events.events.k8s.io`) without a watch cache; `all` disables every watch cache. */
  readonly uncached: ReadonlySet<string> | 'all';
  readonly eventTtlSeconds: number;
  readonly deleteCollectionWorkers: number;
  readonly encryption?: EncryptionOptions;
}

/**
 * Completes and validates the flags of a server and returns its ServerConfig. Throws FlagError that names the flag when a file
 * cannot be read or values conflict.
 */
export async function serverConfig(flags: ParsedFlags, parts: ServiceParts | ExtensionParts): Promise<ServerConfig> {
  if (!('access' in parts)) checkFlagsWithoutEffect(flags);
  const logger = parts.logger ?? createLogger(parts.name, flags.number('v'));
  const features = parts.featureGates === undefined ? undefined : featureGatesOf(flags, parts.featureGates);
  const tracer = await tracerOf(flags, logger);
  const access: Access =
    'access' in parts ? { ...parts.access, chainProxies: 'none', delegate: undefined } : accessOf(flags, parts, logger);
  const { authentication, authorization, chainProxies, requestHeader, delegate, files } = access;
  const audit = parts.audit ?? auditOf(flags, logger, parts.worker);
  const debugSocketPath = flags.string('debug-socket-path');
  return {
    name: parts.name,
    serving: await servingOf(flags, files, access.clientCAs),
    files,
    requestHeader,
    authenticator: authentication.authenticator,
    tokens: authentication.tokens,
    tokenCounts: authentication.tokenCounts,
    authorizer: authorization.authorizer,
    authorizationDecisions: authorization.decisions,
    postStartHooks: [startInformers([...authentication.hooks, ...authorization.hooks])],
    chainProxies,
    delegate,
    installer: parts.installer,
    protobuf: parts.protobuf,
    filters: parts.filters,
    audit,
    requestObservers: [...(flags.bool('show-requests') ? [requestLog(logger)] : []), ...(parts.requestObservers ?? [])],
    readOnly: parts.readOnly,
    limits: limitsOf(flags, parts.worker),
    worker: parts.worker,
    priorityAndFairness: flags.bool('enable-priority-and-fairness'),
    corsAllowedOrigins: corsOriginsOf(flags),
    strictTransportSecurityDirectives: hstsDirectivesOf(flags),
    pages: pagesOf(flags, features),
    ...(debugSocketPath === '' ? {} : { debugSocketPath }),
    tracer,
    features,
    logger,
    onFatal: parts.onFatal,
  };
}

/**
 * The prefix of all keys, as kube-apiserver makes it of the flag: an absolute, clean path. It has no slash at its end, because keys begin with one.
 * Source: k8s.io/apiserver/pkg/storage/etcd3/store.go.
 */
export function keyPrefix(flag: string): string {
  const path = posix.join('/', flag);
  return path.endsWith('/') ? path.slice(0, -1) : path;
}

const defaultCheckTimeoutMs = 2_000;

/**
 * Throws FlagError when `--etcd-servers` is missing or a file cannot be read. `servers` replaces the value of that flag. Of several workers the first
 * one compacts.
 */
export function etcdOptions(
  flags: ParsedFlags,
  {
    servers = flags.strings('etcd-servers'),
    worker,
  }: { readonly servers?: readonly string[]; readonly worker?: Worker } = {},
): EtcdOptions {
  if (servers.length === 0) throw new FlagError('--etcd-servers must be specified');
  return {
    servers,
    overrides: etcdOverrides(flags),
    prefix: keyPrefix(flags.string('etcd-prefix')),
    ...etcdCredentials(flags),
    compactionIntervalMs: worker?.leads === false ? 0 : flags.duration('etcd-compaction-interval'),
    // Zero means the default, as in kube-apiserver (pkg/storage/storagebackend/factory/etcd3.go).
    healthTimeoutMs: flags.duration('etcd-healthcheck-timeout') || defaultCheckTimeoutMs,
    readyTimeoutMs: flags.duration('etcd-readycheck-timeout') || defaultCheckTimeoutMs,
    leaseReuseSeconds: flags.number('lease-reuse-duration-seconds'),
    uncached: uncachedResources(flags),
    eventTtlSeconds: flags.has('event-ttl') ? Math.round(flags.duration('event-ttl') / 1000) : 0,
    deleteCollectionWorkers: flags.number('delete-collection-workers'),
    ...encryptionOptions(flags),
  };
}

function encryptionOptions(flags: ParsedFlags): { encryption?: EncryptionOptions } {
  const configFile = flags.string('encryption-provider-config');
  const reload = flags.bool('encryption-provider-config-automatic-reload');
  if (configFile !== '') return { encryption: { configFile, reload } };
  if (!reload) return {};
  throw new FlagError('--encryption-provider-config-automatic-reload must be set with --encryption-provider-config');
}

type NamedHook = readonly [string, PostStartHook];

/** Starts the informers of authentication and authorization in one hook, with the name that kube-apiserver uses. */
const startInformers = (hooks: readonly NamedHook[]): NamedHook => [
  'generic-apiserver-start-informers',
  async (context) => {
    await Promise.all(hooks.map(async ([, hook]) => hook(context)));
  },
];

function pagesOf(flags: ParsedFlags, features: FeatureGates | undefined): DebugPages {
  return {
    profiling: flags.bool('profiling'),
    heapSnapshots: flags.bool('heap-snapshots'),
    statusz: features?.isOpen('ComponentStatusz') !== false,
    ...(features?.isOpen('ComponentFlagz') === false ? {} : { flags: () => flags.all() }),
  };
}

/** Source: staging/src/k8s.io/apiserver/pkg/server/options/server_run_options.go of kubernetes 1.36. */
const durationsOfLimits: Readonly<Record<string, string>> = {
  'request-timeout': '--request-timeout can not be negative value',
  'shutdown-delay-duration': '--shutdown-delay-duration can not be negative value',
  'shutdown-watch-termination-grace-period':
    'shutdown-watch-termination-grace-period, if provided, can not be a negative value',
  'livez-grace-period': '--livez-grace-period can not be a negative value',
};
const highestGoawayChance = 0.02;

/** Each worker of a service has its part of the limits of requests in flight. Throws FlagError. */
function limitsOf(flags: ParsedFlags, worker: Worker | undefined): ServerLimits {
  for (const [name, complaint] of Object.entries(durationsOfLimits)) {
    if (flags.duration(name) < 0) throw new FlagError(complaint);
  }
  for (const name of ['max-requests-inflight', 'max-mutating-requests-inflight', 'min-request-timeout']) {
    if (flags.number(name) < 0) throw new FlagError(`--${name} can not be negative value`);
  }
  const goawayChance = flags.number('goaway-chance');
  if (goawayChance < 0 || goawayChance > highestGoawayChance) {
    throw new FlagError(`--goaway-chance can not be less than 0 or greater than ${highestGoawayChance}`);
  }
  const readOnly = flags.number('max-requests-inflight');
  const mutating = flags.number('max-mutating-requests-inflight');
  if (flags.bool('enable-priority-and-fairness') && readOnly + mutating <= 0) {
    throw new FlagError(
      `invalid configuration: MaxRequestsInFlight=${readOnly} and MaxMutatingRequestsInFlight=${mutating}; they must add up to something positive`,
    );
  }
  return {
    requestTimeoutMs: flags.duration('request-timeout'),
    minRequestTimeoutMs: flags.number('min-request-timeout') * 1000,
    maxRequestsInFlight: worker?.share(readOnly) ?? readOnly,
    maxMutatingRequestsInFlight: worker?.share(mutating) ?? mutating,
    shutdownDelayMs: flags.duration('shutdown-delay-duration'),
    shutdownWatchGraceMs: flags.duration('shutdown-watch-termination-grace-period'),
    shutdownSendRetryAfter: flags.bool('shutdown-send-retry-after'),
    livezGraceMs: flags.duration('livez-grace-period'),
    goawayChance,
  };
}

/** The next server of `--delegate-url`. Reloads the certificates of the link. */
function delegateOf(flags: ParsedFlags, files: FollowedFiles): DelegationTarget | undefined {
  const url = flags.string('delegate-url');
  if (url === '') return undefined;
  if (!URL.canParse(url)) throw new FlagError(`--delegate-url ${url} is not a URL`);
  const serverName = flags.string('delegate-server-name');
  const members = [
    ['ca', 'delegate-ca-file'],
    ['clientCertificate', 'proxy-client-cert-file'],
    ['clientKey', 'proxy-client-key-file'],
  ] as const;
  const given = members
    .map(([member, flag]) => ({ member, flag, path: flags.string(flag) }))
    .filter(({ path }) => path !== '');
  for (const { flag, path } of given) readPath(flag, path);
  const identity = files.follow<LinkIdentity>(
    given.map(({ path }) => path),
    (texts) => Object.fromEntries(given.map(({ member }, index) => [member, texts[index] ?? ''])),
    (changed) => target.reload(changed),
  );
  const target = new HttpDelegationTarget({ url, ...identity, ...(serverName === '' ? {} : { serverName }) });
  return target;
}
