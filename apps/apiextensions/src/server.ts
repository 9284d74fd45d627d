import {
  AdmissionChain,
  composeAdmission,
  genericPlugins,
  lookedUp,
  StorageLookup,
  storageQuotaWriter,
  type LookupStore,
} from '@apichain/admission';
import {
  GenericApiServer,
  groupVersionInstaller,
  type EtcdStorage,
  type GroupVersionHandlerOptions,
  type ProtobufCodec,
  type ServerConfig,
} from '@apichain/apiserver';
import { systemPrivilegedGroup } from '@apichain/authn';
import { PrivilegedGroupsAuthorizer, UnionAuthorizer } from '@apichain/authz';
import { builtinKinds, foreignReader } from '@apichain/kinds';
import type { GroupResource, GroupVersionKind } from '@apichain/meta';
import { encodeOpenApiV2, encodeOpenApiV3, type RuleEvaluator } from '@apichain/schema';
import { jsonCodec } from '@apichain/storage';
import { CrdController } from './controllers/crd-controller.ts';
import { CrdCache } from './crd/crd-cache.ts';
import { crdGroupVersion, crdPrefix, defineCrdResource } from './crd/crd-resource.ts';
import { CustomResources } from './custom-resources/custom-resources.ts';
import { metadataRules, objectMetaType } from './metadata-rules.ts';
import { CustomOpenApiSource } from './openapi-source.ts';
import { TerminatingCrds } from './terminating-crds.ts';

export interface ApiExtensionsOptions {
  /** The generic part; the installer is this server's own. */
  readonly server: Omit<ServerConfig, 'installer'>;
  readonly etcd: EtcdStorage;
  /** Where the core server keeps its namespaces; the server's own etcd when absent. */
  readonly coreEtcd?: EtcdStorage;
  readonly admission?: { readonly enable: readonly string[]; readonly disable: readonly string[] };
  /** Evaluates x-kubernetes-validations; without it rules are accepted and not enforced. */
  readonly rules?: RuleEvaluator;
  readonly protobuf?: ProtobufCodec;
}

const schemeName = 'pkg/apiserver/apiserver.go:55';
const customSchemeName = 'pkg/apiserver/customresource_handler.go:781';
/** What this server reads of the core server. */
const coreKinds: ReadonlyMap<string, string> = new Map([
  ['namespaces', 'Namespace'],
  ['resourcequotas', 'ResourceQuota'],
]);

/** The server of CustomResourceDefinitions and of the resources they define. Not listening yet. */
export function createApiExtensionsServer(options: ApiExtensionsOptions): GenericApiServer {
  const { etcd } = options;
  const { admission, warnings } = composeChain(options);
  const shared: GroupVersionHandlerOptions = {
    kinds: { name: schemeName, recognizes: isKnownKind },
    authorizer: new UnionAuthorizer([new PrivilegedGroupsAuthorizer(systemPrivilegedGroup), options.server.authorizer]),
    minRequestTimeout: options.server.limits.minRequestTimeoutMs / 1000,
    ...(options.protobuf === undefined ? {} : { protobuf: options.protobuf }),
  };
  const server = new GenericApiServer({
    ...options.server,
    installer: groupVersionInstaller({ ...shared, admission }),
  });
  for (const warning of warnings) server.config.logger.warn(warning);
  const openStorage: Parameters<typeof defineCrdResource>[0] = ({ resource, ...open }) =>
    etcd.open({ ...open, resource: { group: open.prefix.split('/')[1] ?? '', resource } });
  const crds = defineCrdResource(openStorage, {
    metadata: metadataRules,
    ...(options.rules === undefined ? {} : { rules: options.rules }),
  });
  const cache = new CrdCache(crds.defined.storage, `${crdPrefix}/`, server.config.logger);
  server.installApiGroup({
    group: crdGroupVersion.group,
    versions: [crdGroupVersion.version],
    storages: new Map([[crdGroupVersion.version, crds.storages]]),
    priorities: { groupPriorityMinimum: 16_700, versionPriority: { v1: 15 } },
  });
  const { delegate } = options.server;
  const custom = new CustomResources(
    server,
    {
      openStorage,
      metadata: metadataRules,
      objectMeta: objectMetaType,
      ...(options.rules === undefined ? {} : { rules: options.rules }),
    },
    {
      ...shared,
      kinds: { ...builtinKinds, name: customSchemeName },
      admission: new AdmissionChain([new TerminatingCrds(cache), ...admission.plugins]),
      custom: true,
      ...(delegate === undefined ? {} : { delegate }),
    },
  );
  cache.onChange((name, crd) => custom.apply(name, crd));
  const controller = new CrdController({
    cache,
    resource: crds,
    removeInstances: (crd, signal) => custom.removeInstances(crd, signal),
    logger: server.config.logger,
  });
  server.installOpenApi(new CustomOpenApiSource(custom), { encodeV2: encodeOpenApiV2, encodeV3: encodeOpenApiV3 });
  addHooks(server, cache, controller);
  etcd.attach(server);
  server.addPreShutdownHook('close-custom-resources', async () => {
    await custom.close();
    await crds.defined.storage.close();
  });
  return server;
}

/** The kinds of this server's scheme; v1beta1 is known, though not served any more. */
const isKnownKind = (kind: GroupVersionKind): boolean =>
  kind.group === crdGroupVersion.group && builtinKinds.recognizes({ ...kind, version: served(kind.version) });
const served = (version: string): string => (version === 'v1beta1' ? crdGroupVersion.version : version);

function addHooks(server: GenericApiServer, cache: CrdCache, controller: CrdController): void {
  const release = server.holdUnknownPaths();
  const report = (what: string) => (error: unknown) => {
    server.config.logger.error({ err: error }, `${what} ended`);
  };
  server.addPostStartHook('start-apiextensions-informers', ({ signal }) => {
    cache.run(signal).catch(report('watching CustomResourceDefinitions'));
  });
  server.addPostStartHook('start-apiextensions-controllers', async ({ signal }) => {
    await cache.synced;
    controller.run(signal).catch(report('the CustomResourceDefinition controller'));
  });
  server.addPostStartHook('crd-informer-synced', async () => {
    await cache.synced;
    release();
  });
}

/** Namespaces and quotas are the core server's; this one reads them where it keeps them. */
function composeChain(options: ApiExtensionsOptions): { admission: AdmissionChain; warnings: readonly string[] } {
  const { coreEtcd = options.etcd } = options;
  const opened = new Map<string, LookupStore>();
  const open = ({ group, resource }: GroupResource): LookupStore | undefined => {
    const kind = group === '' ? coreKinds.get(resource) : undefined;
    if (kind === undefined) return undefined;
    const prefix = `/${resource}`;
    const present = opened.get(prefix);
    if (present !== undefined) return present;
    const codec = jsonCodec({ fromForeign: foreignReader({ group, version: 'v1', kind }) });
    const made = { storage: coreEtcd.open({ prefix, codec, resource: { group, resource } }), prefix };
    opened.set(prefix, made);
    return made;
  };
  const lookup = new StorageLookup(open);
  const writeQuotaStatus = storageQuotaWriter(() => open(lookedUp.resourceQuotas));
  const { chain, warnings } = composeAdmission(genericPlugins({ lookup, writeQuotaStatus }), options.admission);
  return { admission: chain, warnings };
}
