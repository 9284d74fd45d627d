import {
  admissionFlags,
  admissionOptions,
  apiSet,
  serviceFlags,
  serviceRouting,
  type FlagDefinition,
  type ParsedFlags,
} from '@apichain/apiserver-options';
import { etcdOptions, EtcdStorage, keyPrefix, serverConfig, type ServiceParts } from '@apichain/apiserver';
import { type DelegationTarget } from '@apichain/delegation';
import { type Logger } from '@apichain/request';
import { celRules } from '@apichain/cel';
import {
  builtinProtobuf,
  builtinStores,
  flowControlSource,
  isBuiltinGroup,
  knownFeatureGates,
  openGates,
} from '@apichain/kinds/model';
import type { ResourceStores, Storage } from '@apichain/storage';
import { Registry } from 'prom-client';
import type { ApiExtensionsOptions } from './server.ts';

const own: readonly FlagDefinition[] = [
  ...admissionFlags,
  {
    name: 'core-etcd-prefix',
    type: 'string',
    section: 'Etcd',
    usage: 'The key prefix of the namespaces of the core server in etcd. Defaults to --etcd-prefix.',
  },
  {
    name: 'enable-aggregator-routing',
    type: 'bool',
    section: 'Admission',
    usage: 'Reach the Services of webhooks by their endpoints instead of their cluster IP.',
  },
];

const probePaths: readonly string[] = ['/healthz', '/livez', '/readyz'];

/** The flags of the service. */
export const apiExtensionsFlags: readonly FlagDefinition[] = serviceFlags(own);

/**
 * Completes the flags. `delegate` is the next server when it runs in the same process. Without `logger`, logs are written to standard error.
 * `shared` is shared by the servers of one process. Throws FlagError for an invalid flag, Error when etcd does not respond.
 */
export async function completeOptions(
  flags: ParsedFlags,
  onFatal: (error: Error) => void,
  delegate?: DelegationTarget,
  logger?: Logger,
  shared: Pick<ServiceParts, 'audit' | 'rights' | 'readOnly' | 'worker'> & {
    readonly stores?: ResourceStores<Storage>;
  } = {},
): Promise<ApiExtensionsOptions> {
  const admission = admissionOptions(flags);
  const metricsRegistry = new Registry();
  const config = await serverConfig(flags, {
    name: 'apiextensions',
    // Authorization reads objects of the core server, from the core server's storage.
    stores: (resource) => stores(resource),
    reachesAccounts: false,
    // The roles that allow probes exist only after the core server has created them, so probes are always allowed.
    alwaysAllowPaths: probePaths,
    protobuf: builtinProtobuf,
    featureGates: { known: knownFeatureGates, open: openGates },
    installer: () => {
      throw new Error('the installer is made by createApiExtensionsServer');
    },
    onFatal,
    delegate,
    logger,
    audit: shared.audit,
    rights: shared.rights,
    readOnly: shared.readOnly,
    worker: shared.worker,
  });
  const given = etcdOptions(flags, shared);
  // Custom resources are always stored in the etcd of --etcd-servers.
  const etcd = { ...given, overrides: given.overrides.filter(({ group }) => isBuiltinGroup(group)) };
  const storage = new EtcdStorage(etcd, metricsRegistry, shared.readOnly);
  await storage.prepare();
  const corePrefixFlag = flags.string('core-etcd-prefix');
  const corePrefix = corePrefixFlag === '' ? etcd.prefix : keyPrefix(corePrefixFlag);
  const coreEtcd =
    corePrefix === etcd.prefix
      ? undefined
      : new EtcdStorage({ ...etcd, prefix: corePrefix }, new Registry(), shared.readOnly);
  await coreEtcd?.prepare();
  const stores = shared.stores ?? builtinStores(coreEtcd ?? storage);
  return {
    server: {
      ...config,
      metricsRegistry,
      flowControl: flowControlSource({ etcd: coreEtcd ?? storage, custom: storage }),
    },
    etcd: storage,
    protobuf: builtinProtobuf,
    rules: celRules,
    coreEtcd,
    serviceRouting: serviceRouting(apiSet(flags.string('apis')), flags.bool('enable-aggregator-routing')),
    admission: admission.selection,
    admissionConfiguration: admission.generic,
  };
}
