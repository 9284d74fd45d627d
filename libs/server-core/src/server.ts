import { AdmissionChain } from '@apichain/admission';
import {
  advertiseAddress,
  EtcdStorage,
  GenericApiServer,
  groupVersionInstaller,
  addEndpointsHook,
  KubernetesEndpoints,
  openMasterLeases,
  type ServerConfig,
  installAdmission,
} from '@apichain/apiserver';
import { type FlowControlSource } from '@apichain/flowcontrol';
import { type PostStartHook } from '@apichain/observability';
import { builtinKinds, builtinProtobuf, flowControlSource, internalCodec, openGates } from '@apichain/kinds';
import {
  type BuiltinApi,
  builtinOpenApi,
  createBuiltinApi,
  firstAddress,
  openApiEncoders,
  parseServiceRanges,
} from '@apichain/kinds-registry';
import { joinHostPort, canonicalCidr } from '@apichain/go-text';
import type { GroupResource } from '@apichain/meta';
import { Registry } from 'prom-client';
import { admissionOf, ownStores } from './admission.ts';
import { installPodSecurityMetrics, installAllocatorMetrics } from './metrics.ts';
import { publishAuthenticationConfig } from './bootstrap/authentication-config.ts';
import { loopbackContext, reconcile, reconcileOnceStarted, type BootstrapContext } from './bootstrap/context.ts';
import { writeFirstObjects } from './bootstrap/first-objects.ts';
import { ensureFlowControl } from './bootstrap/flow-control.ts';
import { FlowSchemaStatus } from './bootstrap/flow-schema-status.ts';
import { collectIdentityLeases, renewIdentityLease } from './bootstrap/identity-lease.ts';
import { ensureKubernetesService } from './bootstrap/kubernetes-service.ts';
import { ensurePriorityClasses } from './bootstrap/priority-classes.ts';
import { reconcileDefaultRoles } from './bootstrap/rbac/reconcile.ts';
import { ensureServiceCidr } from './bootstrap/service-cidr.ts';
import { serviceRepair } from './bootstrap/service-repair.ts';
import { trackLegacyTokens } from './bootstrap/legacy-token-tracking.ts';
import { ensureSystemNamespaces } from './bootstrap/system-namespaces.ts';
import { componentProbes } from './component-probes.ts';
import type { KubeCoreOptions } from './options.ts';
import { installOpenId } from './service-accounts.ts';
import { reviewToken } from './token-review.ts';

const seconds = 1_000;
const minute = 60 * seconds;

/** A hook whose first pass must succeed before the server counts as started, and which repeats the pass every `intervalMs`. */
function repeating(
  name: string,
  intervalMs: number,
  contextOf: (hook: Parameters<PostStartHook>[0]) => BootstrapContext,
  pass: (context: BootstrapContext) => Promise<void>,
  alreadyDone = false,
): readonly [string, PostStartHook] {
  return [name, (hook) => reconcile(name, contextOf(hook), intervalMs, pass, alreadyDone)];
}

/** One client is shared by all hooks. */
function sharedContext(): (hook: Parameters<PostStartHook>[0]) => BootstrapContext {
  let context: BootstrapContext | undefined;
  return (hook) => (context ??= loopbackContext(hook));
}

/** Maintains the default objects, and the condition in each FlowSchema about its priority level. */
function flowControlHook(
  contextOf: (hook: Parameters<PostStartHook>[0]) => BootstrapContext,
  source: FlowControlSource,
  alreadyDone: boolean,
): PostStartHook {
  return async (hook) => {
    const context = contextOf(hook);
    await reconcile('priority-and-fairness-config-producer', context, minute, ensureFlowControl, alreadyDone);
    if (!context.signal.aborted) await new FlowSchemaStatus(context).start(source);
  };
}

/** A hook that completes at once. Its passes start when the server is ready. */
function later(
  name: string,
  intervalMs: number,
  contextOf: (hook: Parameters<PostStartHook>[0]) => BootstrapContext,
  pass: (context: BootstrapContext) => Promise<void>,
): readonly [string, PostStartHook] {
  return [name, (hook) => reconcileOnceStarted(name, contextOf(hook), intervalMs, pass)];
}

/** The resource whose objects a hook maintains. A server that does not serve it does not have the hook. */
const maintained: ReadonlyMap<string, GroupResource> = new Map([
  ['start-service-ip-repair-controllers', { group: '', resource: 'services' }],
  ['scheduling/bootstrap-system-priority-classes', { group: 'scheduling.k8s.io', resource: 'priorityclasses' }],
  ['bootstrap-controller', { group: '', resource: 'services' }],
  ['start-kubernetes-service-cidr-controller', { group: 'networking.k8s.io', resource: 'servicecidrs' }],
]);

function bootstrapHooks(
  options: KubeCoreOptions,
  api: BuiltinApi,
  flowControl: FlowControlSource,
  securePort: () => number,
  endpoints: KubernetesEndpoints | undefined,
  /** The objects that are the same in every cluster were just written. */
  written: boolean,
) {
  const context = sharedContext();
  const ranges = parseServiceRanges(options.serviceClusterIpRange);
  const cidrs = ranges.map(canonicalCidr);
  const [primary] = ranges;
  const clusterIp = primary === undefined ? '' : firstAddress(primary);
  const advertisedPort = () => options.advertised.port || securePort();
  const bootstrapController: PostStartHook = (hook) => {
    const c = context(hook);
    endpoints?.start(hook);
    return reconcile('bootstrap-controller', c, 10 * seconds, () =>
      ensureKubernetesService(c, {
        clusterIp,
        targetPort: advertisedPort(),
        nodePort: options.kubernetesServiceNodePort,
      }),
    );
  };
  // In the order of kube-apiserver.
  const hooks: readonly (readonly [string, PostStartHook])[] = [
    repeating(
      'start-system-namespaces-controller',
      minute,
      context,
      (c) => ensureSystemNamespaces(c, options.apis),
      written,
    ),
    // All servers serve the same versions, so no requests are forwarded to peers.
    ['peer-endpoint-reconciler-controller', () => undefined],
    repeating('start-cluster-authentication-info-controller', minute, context, (c) =>
      publishAuthenticationConfig(c, options.authentication),
    ),
    ...identityHooks(options, context, securePort),
    // A watch cache is filled on first use, and reads come from etcd until then. There are no stores to wait for.
    ['storage-readiness', () => undefined],
    later('start-legacy-token-tracking-controller', 10 * minute, context, trackLegacyTokens),
    // An empty cluster has nothing to repair.
    repeating('start-service-ip-repair-controllers', 3 * minute, context, serviceRepair(api.repairs()), written),
    repeating('rbac/bootstrap-roles', 0, context, reconcileDefaultRoles, written),
    repeating('scheduling/bootstrap-system-priority-classes', 0, context, ensurePriorityClasses, written),
    ['priority-and-fairness-config-producer', flowControlHook(context, flowControl, written)],
    ['bootstrap-controller', bootstrapController],
    repeating(
      'start-kubernetes-service-cidr-controller',
      10 * seconds,
      context,
      (c) => ensureServiceCidr(c, cidrs),
      written,
    ),
  ];
  const served = hooks.filter(([name]) => {
    const resource = maintained.get(name);
    return resource === undefined || options.apis.serves(resource);
  });
  // All that they do is to write objects, which the first of several workers does. The others have the checks of these names.
  return options.config.worker?.leads === false
    ? served.map(([name]): readonly [string, PostStartHook] => [name, () => undefined])
    : served;
}

/** The hooks of the Leases that show which servers a cluster has. */
function identityHooks(
  { config, advertiseAddress: advertised }: KubeCoreOptions,
  context: (hook: Parameters<PostStartHook>[0]) => BootstrapContext,
  securePort: () => number,
): readonly (readonly [string, PostStartHook])[] {
  if (config.features?.isOpen('APIServerIdentity') === false) return [];
  const controller = 'start-kube-apiserver-identity-lease';
  return [
    later(`${controller}-controller`, 10 * seconds, context, (c) => {
      const { bindAddress } = config.serving;
      const address = advertiseAddress(advertised, bindAddress) ?? bindAddress;
      return renewIdentityLease(c, joinHostPort(address, securePort()));
    }),
    later(`${controller}-garbage-collector`, 60 * minute, context, collectIdentityLeases),
  ];
}

/**
 * Creates the server of the built-in groups, ready to `listen()`. Used for a separate process and for a process that hosts the whole chain.
 * Rejects with one line for the operator when etcd does not respond or an option is invalid.
 */
export async function createKubeCoreServer(options: KubeCoreOptions): Promise<GenericApiServer> {
  const metrics = options.config.metricsRegistry ?? new Registry();
  const { readOnly } = options.config;
  const storage = new EtcdStorage(options.etcd, metrics, readOnly);
  try {
    await storage.prepare();
    // The bundled objects are JSON and fit only the default runtime configuration and feature gates, which decide what is served and created.
    const { config, runtimeConfig, storageMediaType } = options;
    const asByDefault = Object.keys(runtimeConfig).length === 0 && (config.features?.given.size ?? 0) === 0;
    const alike = asByDefault && storageMediaType === 'application/json' && readOnly === undefined;
    const cidrs = parseServiceRanges(options.serviceClusterIpRange).map(canonicalCidr);
    // Of several workers the first one writes what a server writes.
    const leads = config.worker?.leads !== false;
    const written = alike && leads && (await writeFirstObjects(storage, cidrs, options.apis));
    return assemble(options, storage, metrics, written);
  } catch (error) {
    await storage.close();
    throw error;
  }
}

function assemble(
  options: KubeCoreOptions,
  storage: EtcdStorage,
  metrics: Registry,
  written: boolean,
): GenericApiServer {
  const { authorizer } = options.config;
  const api = createBuiltinApi({
    openStorage: (open) => storage.open(open),
    authorizer,
    reviewToken: (token, audiences) =>
      reviewToken(options.config.tokens, options.serviceAccounts.audiences, token, audiences),
    tokenIssuer: options.serviceAccounts.issuer,
    serves: options.apis.serves,
    runtimeConfig: options.runtimeConfig,
    openGate: options.config.features?.isOpen ?? openGates(),
    storageMediaType: options.storageMediaType,
    allowPrivileged: options.allowPrivileged,
    serviceClusterIpRange: options.serviceClusterIpRange,
    serviceNodePortRange: options.serviceNodePortRange,
    eventTtlSeconds: options.etcd.eventTtlSeconds,
    reportFailure: (error, message) => options.config.logger.error({ err: error }, message),
    // The components of this host are not those of the cluster whose data is shown.
    componentProbes:
      options.config.readOnly === undefined
        ? componentProbes(storage.connections.map((etcd) => () => etcd.checkHealth()))
        : {},
    kubelets: options.kubelets,
  });
  const stores = ownStores(() => api);
  options.stores.bind(stores);
  const admission = admissionOf(options, authorizer, () => api);
  const flowControl = flowControlSource({ etcd: storage, open: stores });
  const config: ServerConfig = {
    ...options.config,
    metricsRegistry: metrics,
    flowControl,
    installer: groupVersionInstaller({
      // Of what is posted, reviews alone reach a server that does not write. No webhook judges them.
      admission: options.config.readOnly === undefined ? admission.chain : new AdmissionChain([]),
      authorizer,
      kinds: builtinKinds,
      protobuf: builtinProtobuf,
      minRequestTimeoutSeconds: options.config.limits.minRequestTimeoutMs / seconds,
    }),
  };
  const server = new GenericApiServer(config);
  for (const group of api.groups) server.installApiGroup(group);
  server.installOpenApi(builtinOpenApi(api.groups), openApiEncoders);
  installOpenId(server, options.serviceAccounts, externalAddress(options));
  storage.attach(server);
  // Only writes pass admission, and only a server that writes keeps objects of its own.
  if (config.readOnly !== undefined) return server;
  installAdmission(server, [admission.chain], admission.dynamic);
  installPodSecurityMetrics(server.metrics, admission.podSecurity);
  if (api.resource('', 'services') !== undefined) {
    installAllocatorMetrics(server.metrics, api.allocators(), (error) =>
      config.logger.warn({ err: error }, 'cannot count the allocated cluster IPs for the metrics'),
    );
  }
  const securePort = () => Number(new URL(server.loopback.url).port);
  const { advertised } = options;
  const codec = internalCodec({ group: '', version: 'v1', kind: 'Endpoints' }, options.storageMediaType);
  const endpoints =
    advertised.address === undefined
      ? undefined
      : new KubernetesEndpoints({
          address: advertised.address,
          port: () => advertised.port || securePort(),
          leases: openMasterLeases(storage, codec),
        });
  for (const [name, hook] of bootstrapHooks(options, api, flowControl, securePort, endpoints, written))
    server.addPostStartHook(name, hook);
  if (endpoints !== undefined) addEndpointsHook(server, endpoints);
  return server;
}

/** The host and port of the key URL in the discovery document. */
function externalAddress({ advertiseAddress: address, config }: KubeCoreOptions): string {
  const host = advertiseAddress(address, config.serving.bindAddress) ?? config.serving.bindAddress;
  return `${host.includes(':') ? `[${host}]` : host}:${config.serving.port}`;
}
