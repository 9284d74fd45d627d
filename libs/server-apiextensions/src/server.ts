import {
  AdmissionChain,
  composeAdmission,
  DynamicAdmission,
  type GenericConfiguration,
  genericPlugins,
  lookedUp,
  serviceResolver,
  type ServiceRouting,
  StorageLookup,
  storageQuotaWriter,
  WebhookClient,
  type ServiceResolver,
} from '@apichain/admission';
import {
  GenericApiServer,
  groupVersionInstaller,
  type EtcdStorage,
  type GroupVersionHandlerOptions,
  type ServerConfig,
  installAdmission,
} from '@apichain/apiserver';
import { type ProtobufCodec } from '@apichain/request';
import { workQueueMetrics } from '@apichain/client/metrics';
import type { Authorizer } from '@apichain/authz';
import { builtinKinds, builtinMapper, builtinStores, builtinType } from '@apichain/kinds/model';
import type { GroupVersionKind } from '@apichain/meta';
import { encodeOpenApiV2, encodeOpenApiV3, type CustomResourceDefinition, type RuleEvaluator } from '@apichain/schema';
import { CrdController } from './controllers/crd-controller.ts';
import { servedAsStored } from './conversion/as-stored.ts';
import { conversionMetrics } from './conversion/conversion-metrics.ts';
import { CrdCache } from './crd/crd-cache.ts';
import { crdGroupVersion, crdPrefix, defineCrdResource } from './crd/crd-resource.ts';
import { CustomResources } from './custom-resources/custom-resources.ts';
import { reviewType } from './conversion/webhook-converter.ts';
import { timedRules } from '@apichain/cel';
import { metadataRules, objectMetaType } from '@apichain/custom-resources';
import { ruleMetrics } from './rule-metrics.ts';
import { CrdChecks } from './crd/crd-checks.ts';
import { CustomOpenApiSource } from './openapi-source.ts';
import { TerminatingCrds } from './terminating-crds.ts';

export interface ApiExtensionsOptions {
  /** The generic configuration. The server creates the installer itself. */
  readonly server: Omit<ServerConfig, 'installer'>;
  readonly etcd: EtcdStorage;
  /** The core server's etcd, which has the namespaces; absent = this server's own etcd. */
  readonly coreEtcd?: EtcdStorage;
  readonly admission?: { readonly enable: readonly string[]; readonly disable: readonly string[] };
  readonly admissionConfiguration?: GenericConfiguration;
  /** Evaluates x-kubernetes-validations. Without it, rules are accepted and not enforced. */
  readonly rules?: RuleEvaluator;
  readonly protobuf?: ProtobufCodec;
  /** How the Services of webhooks are reached. */
  readonly serviceRouting?: ServiceRouting;
}

const schemeName = 'pkg/apiserver/apiserver.go:55';
const customSchemeName = 'pkg/apiserver/customresource_handler.go:781';

/** Creates the server of CustomResourceDefinitions and of the resources they define. It does not listen yet. */
export function createApiExtensionsServer(options: ApiExtensionsOptions): GenericApiServer {
  const { etcd } = options;
  const { authorizer } = options.server;
  const isReadOnly = options.server.readOnly !== undefined;
  const { chain: admission, dynamic, services } = composeChain(options, authorizer);
  const shared: GroupVersionHandlerOptions = {
    kinds: { name: schemeName, recognizes: isKnownKind },
    authorizer,
    minRequestTimeoutSeconds: options.server.limits.minRequestTimeoutMs / 1000,
    protobuf: options.protobuf,
  };
  const server = new GenericApiServer({
    ...options.server,
    catchUp: (signal) => cache.catchUp(signal),
    installer: groupVersionInstaller({ ...shared, admission }),
  });
  const openStorage: Parameters<typeof defineCrdResource>[0] = ({ resource, ...open }) =>
    etcd.open({ ...open, resource: { group: open.prefix.split('/')[1] ?? '', resource } });
  const timers = options.rules === undefined ? undefined : ruleMetrics(server.metrics);
  const rules = options.rules === undefined || timers === undefined ? {} : { rules: timedRules(options.rules, timers) };
  const checks = new CrdChecks(
    { metadata: metadataRules, ...rules },
    { objectMeta: objectMetaType, ...(timers === undefined ? {} : { rules: timers }) },
  );
  const crds = defineCrdResource(openStorage, checks);
  const cache = new CrdCache(crds.defined.storage, crdPrefix, server.config.logger);
  server.installApiGroup({
    group: crdGroupVersion.group,
    versions: [crdGroupVersion.version],
    storages: new Map([[crdGroupVersion.version, crds.storages]]),
    priorities: { groupPriorityMinimum: 16_700, versionPriority: { v1: 15 } },
  });
  const { delegate } = options.server;
  const conversions = new WebhookClient({ resolver: services, types: reviewType, userAgent: 'kube-apiserver' });
  const customAdmission = new AdmissionChain([new TerminatingCrds(cache), ...admission.plugins]);
  const custom = new CustomResources(
    server,
    {
      openStorage,
      metadata: metadataRules,
      objectMeta: objectMetaType,
      webhooks: conversions,
      observeConversion: conversionMetrics(server.metrics),
      storesCbor: options.server.features?.isOpen('CBORServingAndStorage') === true,
      ...(isReadOnly ? { keepsVersions: true } : {}),
      ...rules,
    },
    {
      ...shared,
      kinds: { ...builtinKinds, name: customSchemeName },
      admission: customAdmission,
      delegate,
    },
  );
  const served = (crd: CustomResourceDefinition) => (isReadOnly ? servedAsStored(crd) : crd);
  cache.onChange((name, crd) => custom.apply(name, crd === undefined ? undefined : served(crd)));
  const controller = new CrdController({
    cache,
    resource: crds,
    instances: {
      removeInstances: (crd, signal) => custom.removeInstances(crd, signal),
      removeStragglers: (crd, signal) => custom.removeStragglers(crd, () => crds.isDefined(crd), signal),
    },
    // One queue replaces the several queues of kube-apiserver.
    observer: workQueueMetrics(server.metrics)('crd_naming_condition_controller'),
    logger: server.config.logger,
    workers: () => server.workers && { pool: server.workers, owner: 'system:apiserver' },
  });
  server.installOpenApi(new CustomOpenApiSource(custom), { encodeV2: encodeOpenApiV2, encodeV3: encodeOpenApiV3 });
  // Of several workers the first one writes conditions and removes what is left of definitions.
  addHooks(server, cache, isReadOnly || options.server.worker?.leads === false ? undefined : controller);
  if (!isReadOnly) installAdmission(server, [admission, customAdmission], dynamic);
  etcd.attach(server);
  server.addPreShutdownHook('close-custom-resources', async () => {
    await custom.close();
    conversions.close();
    await crds.defined.storage.close();
  });
  return server;
}

/** Whether a kind belongs to this server's scheme. v1beta1 does, though it is no longer served. */
const isKnownKind = (kind: GroupVersionKind): boolean =>
  kind.group === crdGroupVersion.group && builtinKinds.recognizes({ ...kind, version: served(kind.version) });
const served = (version: string): string => (version === 'v1beta1' ? crdGroupVersion.version : version);

/** Without a `controller` the definitions stay as they are: those that are established are served. */
function addHooks(server: GenericApiServer, cache: CrdCache, controller: CrdController | undefined): void {
  const release = server.holdUnknownPaths();
  const report = (what: string) => (error: unknown) => {
    server.config.logger.error({ err: error }, `${what} ended`);
  };
  server.addPostStartHook('start-apiextensions-informers', ({ signal }) => {
    cache.run(signal).catch(report('watching CustomResourceDefinitions'));
  });
  server.addPostStartHook('start-apiextensions-controllers', async ({ signal }) => {
    await cache.synced;
    controller?.run(signal).catch(report('the CustomResourceDefinition controller'));
  });
  server.addPostStartHook('crd-informer-synced', async () => {
    await cache.synced;
    release();
  });
}

interface Admission {
  readonly chain: AdmissionChain;
  readonly dynamic: DynamicAdmission;
  readonly services: ServiceResolver;
}

/** Admission reads objects of the core server, from the core server's storage. */
function composeChain(options: ApiExtensionsOptions, authorizer: Authorizer): Admission {
  const { limitedResources = [], webhookUsers = {} } = options.admissionConfiguration ?? {};
  const open = builtinStores(options.coreEtcd ?? options.etcd);
  const { logger } = options.server;
  const lookup = new StorageLookup(open);
  const services = serviceResolver(lookup, options.serviceRouting);
  const dynamic = new DynamicAdmission({
    open,
    lookup,
    builtin: builtinMapper,
    types: builtinType,
    services,
    webhookUsers,
    onError: (error) => logger.warn({ err: error }, 'following the configuration of admission failed, trying again'),
  });
  const writeQuotaStatus = storageQuotaWriter(() => open(lookedUp.resourceQuotas));
  const plugins = genericPlugins({ lookup, writeQuotaStatus, authorizer, dynamic, limitedResources });
  // Plugins that this server does not have decide about built-in kinds, in the core server.
  return { chain: composeAdmission(plugins, options.admission).chain, dynamic, services };
}
