import { createSecureContext } from 'node:tls';
import { type Audit } from '@apichain/audit';
import { type DelegationTarget } from '@apichain/delegation';
import {
  addEndpointsHook,
  advertisedOf,
  EtcdStorage,
  GenericApiServer,
  KubernetesEndpoints,
  type GroupVersionInstaller,
  type ReadOnlyServing,
  etcdOptions,
  groupVersionInstaller,
  installAdmission,
  openMasterLeases,
  serverConfig,
} from '@apichain/apiserver';
import { type Filter, type Logger, type RequestObserver } from '@apichain/request';
import { FollowedFiles } from '@apichain/serving';
import type { ServiceRouting } from '@apichain/admission';
import { apiSet, type FollowedRights, type ParsedFlags, serviceRouting } from '@apichain/apiserver-options';
import type { HookContext } from '@apichain/observability';
import { workQueueMetrics } from '@apichain/client/metrics';
import { Informer, RestClient } from '@apichain/client';
import {
  builtinProtobuf,
  builtinStores,
  flowControlSource,
  internalCodec,
  knownFeatureGates,
  openGates,
} from '@apichain/kinds/model';
import { encodeOpenApiV2, encodeOpenApiV3 } from '@apichain/schema';
import type { ResourceStores, Storage } from '@apichain/storage';
import type { Worker } from '@apichain/workers';
import { Registry } from 'prom-client';
import { aggregatorAdmission } from './admission.ts';
import { apiServices } from './apiservice/api-service.ts';
import { defineApiServices, aggregatorKinds } from './apiservice/storage.ts';
import { ClusterServices } from './cluster-services.ts';
import { consoleOf } from './console.ts';
import { ApiServiceController } from './controllers/api-service-controller.ts';
import { AvailabilityMetrics } from './controllers/availability-metrics.ts';
import { AutoRegistration } from './controllers/auto-registration.ts';
import { CrdRegistration } from './controllers/crd-registration.ts';
import { AggregatedGroups } from './discovery/group-source.ts';
import { apiRegistrationPriority, builtinPriority } from './priorities.ts';
import type { ProxyClientCertificate } from './routing/extension-proxy.ts';
import { AggregatorOpenApi } from './openapi/chain-documents.ts';
import { RemoteOpenApi } from './openapi/remote-documents.ts';
import { Routes } from './routing/routes.ts';
import {
  type ServiceLookup,
  type ServiceResolver,
  clusterIpResolver,
  endpointResolver,
  nameResolver,
} from './routing/service-resolver.ts';

interface AggregatorParts {
  /** The next server, when it runs in this process. */
  readonly delegate?: DelegationTarget;
  readonly filters?: readonly Filter[];
  /** Replaces the audit that the audit flags configure. */
  readonly audit?: Audit;
  /** Told of each finished request of a client. */
  readonly requestObservers?: readonly RequestObserver[];
  readonly logger?: Logger;
  /** This process, where several serve together. */
  readonly worker?: Worker;
  readonly onFatal?: (error: Error) => void;
  /** Replaces separate stores and copies, when the core server runs in this process. */
  readonly stores?: ResourceStores<Storage>;
  readonly rights?: FollowedRights;
  /** The server only shows what is stored. No request is then sent to the services of APIServices. */
  readonly readOnly?: ReadOnlyServing;
}

const openApiEncoders = { encodeV2: encodeOpenApiV2, encodeV3: encodeOpenApiV3 };
const discoveryPollMs = 50;
const registrationPollMs = 5;

/** The first server of the chain: serves APIServices, routes requests by them, and aggregates discovery. */
export async function createAggregatorServer(
  flags: ParsedFlags,
  parts: AggregatorParts = {},
): Promise<GenericApiServer> {
  const metricsRegistry = new Registry();
  const etcd = new EtcdStorage(etcdOptions(flags, parts), metricsRegistry, parts.readOnly);
  const installer: GroupVersionInstaller = (groupVersion, storages) => install(groupVersion, storages);
  const console = await consoleOf(flags, parts.worker);
  const config = await serverConfig(flags, {
    name: 'aggregator',
    isFirst: true,
    installer,
    // Authorization reads objects of the core server, from the core server's storage.
    stores: builtinStores(etcd),
    reachesAccounts: true,
    protobuf: builtinProtobuf,
    featureGates: { known: knownFeatureGates, open: openGates },
    ...parts,
    requestObservers: [...(parts.requestObservers ?? []), ...(console?.observers ?? [])],
  });
  const { authorizer } = config;
  // Stores can be opened only from here on, and admission opens some.
  await etcd.prepare();
  const routing = serviceRouting(apiSet(flags.string('apis')), flags.bool('enable-aggregator-routing'));
  const admission = aggregatorAdmission(flags, etcd, authorizer, config.logger, routing);
  const install = groupVersionInstaller({
    minRequestTimeoutSeconds: flags.number('min-request-timeout'),
    kinds: aggregatorKinds,
    protobuf: builtinProtobuf,
    admission: admission.chain,
    authorizer,
  });
  const sessions = console?.sessionsOver(config);
  const server = new GenericApiServer({
    ...config,
    ...(sessions === undefined
      ? {}
      : { authenticator: sessions.authenticator, filters: [...(config.filters ?? []), sessions.filter] }),
    metricsRegistry,
    flowControl: flowControlSource({ etcd }),
  });
  etcd.attach(server);
  if (parts.readOnly === undefined) installAdmission(server, [admission.chain], admission.dynamic);
  server.installApiGroup({
    group: apiServices.group,
    versions: [apiServices.version],
    storages: new Map([[apiServices.version, defineApiServices(etcd).storagesOf(apiServices)]]),
    priorities: {
      groupPriorityMinimum: apiRegistrationPriority.group,
      versionPriority: { v1: apiRegistrationPriority.version },
    },
  });
  if (parts.readOnly === undefined) {
    const endpoints = parts.delegate === undefined ? endpointsOf(server, flags, etcd) : undefined;
    aggregate(server, flags, config.files ?? new FollowedFiles(), routing, endpoints);
  } else server.installOpenApi(new AggregatorOpenApi(new RemoteOpenApi()), openApiEncoders);
  await sessions?.serve(server);
  return server;
}

/**
 * What publishes the address of this server in the service `kubernetes`: it is the one that clients reach. A core server in this process publishes
 * it itself. Undefined when there are no Services, or the flags say so.
 */
function endpointsOf(server: GenericApiServer, flags: ParsedFlags, etcd: EtcdStorage): KubernetesEndpoints | undefined {
  const { address, port } = advertisedOf(flags);
  if (address === undefined || !apiSet(flags.string('apis')).serves({ group: '', resource: 'services' })) return;
  const endpoints = new KubernetesEndpoints({
    address,
    port: () => port || Number(new URL(server.loopback.url).port),
    leases: openMasterLeases(etcd, internalCodec({ group: '', version: 'v1', kind: 'Endpoints' })),
  });
  addEndpointsHook(server, endpoints);
  return endpoints;
}

/** Installs the routes of APIServices, and the discovery and OpenAPI documents of the whole chain. */
function aggregate(
  server: GenericApiServer,
  flags: ParsedFlags,
  files: FollowedFiles,
  routing: ServiceRouting,
  endpoints: KubernetesEndpoints | undefined,
): void {
  let clusterServices: ClusterServices | undefined;
  const lookup: ServiceLookup = {
    service: (namespace, name) => clusterServices?.service(namespace, name),
    endpointSlices: (namespace, name) => clusterServices?.endpointSlices(namespace, name) ?? [],
  };
  const resolver = resolvers[routing](lookup);
  const forwarding = { rejectRedirects: flags.bool('aggregator-reject-forwarding-redirect') };
  const routes = followedRoutes(
    flags,
    files,
    (certificate) => new Routes(server.paths, resolver, certificate, forwarding),
  );
  const groups = new AggregatedGroups((path) => server.discoveryEndpoints.chainGroups(path), routes.services);
  server.discoveryEndpoints.setSource(groups.source, groups.legacySource);
  const releaseUnknownPaths = server.holdUnknownPaths();

  // The files are watched from the start. The hook exists because kube-aggregator has one of that name.
  if (flags.string('proxy-client-cert-file') !== '')
    server.addPostStartHook('aggregator-reload-proxy-client-cert', () => undefined);
  const openApi = new RemoteOpenApi();
  server.installOpenApi(new AggregatorOpenApi(openApi), openApiEncoders);
  const measured = { metrics: new AvailabilityMetrics(server.metrics), queues: workQueueMetrics(server.metrics) };
  const running = Promise.withResolvers<Controllers>();
  const leads = server.config.worker?.leads !== false;
  server.addPostStartHook('start-kube-aggregator-informers', async (context) => {
    if (leads) endpoints?.start(context);
    const client = new RestClient(context.loopback.connect('kube-apiserver'));
    const services = routing === 'dns' ? undefined : lookup;
    const controllers = startControllers(client, context, {
      routes,
      groups,
      lookup: services,
      openApi,
      writes: leads,
      ...measured,
    });
    clusterServices = controllers.clusterServices;
    clusterServices?.start();
    context.signal.addEventListener('abort', () => {
      routes.close();
      void client.close();
    });
    await controllers.synced;
    releaseUnknownPaths();
    running.resolve(controllers);
  });
  addControllerHooks(server, running.promise, leads);
}

const resolvers: Readonly<Record<ServiceRouting, (lookup: ServiceLookup) => ServiceResolver>> = {
  'cluster-ip': clusterIpResolver,
  endpoints: endpointResolver,
  dns: () => nameResolver,
};

type Controllers = ReturnType<typeof startControllers>;

/** The controllers' work, under the hook names of kube-aggregator. */
const controllerHooks: readonly string[] = [
  'apiservice-status-local-available-controller',
  'apiservice-status-remote-available-controller',
  'apiservice-registration-controller',
  'apiservice-wait-for-first-sync',
  'apiservice-discovery-controller',
];
const openApiHooks: readonly string[] = ['apiservice-openapi-controller', 'apiservice-openapiv3-controller'];

/** `registers`: whether this process creates the APIServices of what the chain serves itself. Of several workers the first one does. */
function addControllerHooks(server: GenericApiServer, running: Promise<Controllers>, registers: boolean): void {
  let controllers: Controllers | undefined;
  const whenRunning = (name: string) =>
    server.addPostStartHook(name, async () => {
      controllers = await running;
    });
  controllerHooks.forEach(whenRunning);
  server.addPostStartHook('kube-apiserver-autoregistration', async ({ signal }) => {
    const started = await running;
    if (registers) await registerBuiltins(server, started, signal);
  });
  server.health.add({
    name: 'autoregister-completion',
    check: () => {
      const missing = controllers?.registration.missing();
      if (missing === undefined) throw new Error('APIServices have not been listed yet');
      if (missing.length > 0) throw new Error(`missing APIService: [${missing.join(' ')}]`);
    },
  });
  openApiHooks.forEach(whenRunning);
}

interface ControllerParts {
  readonly routes: Routes;
  readonly groups: AggregatedGroups;
  /** Undefined = there are no Service objects. */
  readonly lookup: ServiceLookup | undefined;
  readonly openApi: RemoteOpenApi;
  /** Whether the conditions of APIServices are written. */
  readonly writes: boolean;
  readonly metrics: AvailabilityMetrics;
  readonly queues: ReturnType<typeof workQueueMetrics>;
}

function startControllers(
  client: RestClient,
  { signal, logger }: HookContext,
  { routes, groups, lookup, openApi, writes, metrics, queues }: ControllerParts,
) {
  const onListError = (error: unknown) => logger.debug({ err: error }, 'informer: will try again');
  const onError = (name: string, error: unknown) => logger.warn({ apiService: name, err: error }, 'will try again');
  const informer = new Informer({ client, resource: apiServices, onError: onListError });
  const crds = new Informer({
    client,
    resource: { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' },
    onError: onListError,
  });
  const controller = new ApiServiceController({
    client,
    informer,
    lookup,
    routes,
    groups,
    openApi,
    writes,
    metrics,
    observer: queues('APIServiceRegistrationController'),
    onError,
  });
  const registration = new AutoRegistration(client, informer, onError, queues('autoregister'));
  const crdRegistration = new CrdRegistration(crds, registration);
  const serviceChanged = (namespace: string, name: string) => controller.serviceChanged(namespace, name);
  const clusterServices = lookup === undefined ? undefined : new ClusterServices(client, serviceChanged, onListError);
  informer.start();
  crds.start();
  const synced = informer.waitForSync();
  void synced.then(() => controller.run(signal));
  signal.addEventListener('abort', () => {
    registration.stop();
    for (const running of [informer, crds, clusterServices]) void running?.stop();
  });
  /** Starts only when everything that is served is known. Before that, other APIServices would look like leftovers and be deleted. */
  const startRegistration = () => {
    void Promise.all([synced, crds.waitForSync()]).then(() => registration.run());
  };
  return { registration, startRegistration, crdRegistration, clusterServices, synced };
}

/** Registers every group-version that the chain serves and the priority table contains, and waits until all are created. */
async function registerBuiltins(
  server: GenericApiServer,
  { registration, startRegistration }: Pick<ReturnType<typeof startControllers>, 'registration' | 'startRegistration'>,
  signal: AbortSignal,
): Promise<void> {
  const found = new Set<string>();
  const look = async () => {
    for (const path of ['/api', '/apis'] as const)
      for (const group of await server.discoveryEndpoints.chainGroups(path))
        for (const { version } of group.versions) {
          const name = group.metadata.name ?? '';
          const priority = builtinPriority(name, version);
          if (priority === undefined || found.has(`${version}.${name}`)) continue;
          found.add(`${version}.${name}`);
          registration.add({ group: name, version, priority, managed: 'onstart' });
        }
  };
  // The next servers may still be starting. When the core group and the group of CRDs are found, all of them are ready.
  const allAreThere = () => found.has('v1.') && found.has('v1.apiextensions.k8s.io');
  const until = async (condition: () => boolean, step: () => Promise<void> | void, milliseconds: number) => {
    for (await step(); !signal.aborted && !condition(); await step())
      await new Promise((resolve) => setTimeout(resolve, milliseconds));
  };
  // Each repetition requests the discovery of the whole chain, which slows down servers that are starting.
  await until(allAreThere, look, discoveryPollMs);
  startRegistration();
  await until(
    () => registration.missing().length === 0,
    () => undefined,
    registrationPollMs,
  );
}

/** Routes with the client certificate of the flags, which is reloaded when its files change. */
function followedRoutes(
  flags: ParsedFlags,
  files: FollowedFiles,
  make: (certificate: ProxyClientCertificate) => Routes,
): Routes {
  const members = [
    ['cert', flags.string('proxy-client-cert-file')],
    ['key', flags.string('proxy-client-key-file')],
  ] as const;
  const given = members.filter(([, path]) => path !== '');
  const certificate = files.follow<ProxyClientCertificate>(
    given.map(([, path]) => path),
    (texts) => Object.fromEntries(given.map(([member], index) => [member, texts[index] ?? ''])),
    (changed) => {
      createSecureContext(changed);
      routes.reload(changed);
    },
  );
  const routes = make(certificate);
  return routes;
}
