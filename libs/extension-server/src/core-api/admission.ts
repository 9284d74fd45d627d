import {
  composeAdmission,
  dnsServiceResolver,
  DynamicAdmission,
  extensionPluginOrder,
  extensionPlugins,
  StorageLookup,
  type AdmissionChain,
  type AdmissionPlugin,
  type ServiceResolver,
} from '@apichain/admission';
import { admissionOptions, FlagError, type ParsedFlags } from '@apichain/apiserver-options';
import type { Authorizer } from '@apichain/authz';
import type { RestClient } from '@apichain/client';
import { builtinMapper, builtinType } from '@apichain/kinds/model';
import { errorMessage } from '@apichain/meta';
import type { Logger } from '@apichain/request';
import type { ResourceStores } from '@apichain/storage';

/** The sources of the admission of an extension API server. */
export interface ExtensionAdmissionSources {
  /** The stores of the core API. */
  readonly stores: ResourceStores;
  /** A client of the core API. */
  readonly client: RestClient;
  readonly authorizer: Authorizer;
  readonly logger: Logger;
  /** Plugins of the server itself. They run after the others, and are on unless `--disable-admission-plugins` names them. */
  readonly plugins?: readonly AdmissionPlugin[];
  /** How Services of webhooks are reached; by default by their names in the DNS of the cluster. */
  readonly services?: ServiceResolver;
}

/** Admission, and the part of it that users configure with objects in the core API. */
export interface ExtensionAdmission {
  readonly chain: AdmissionChain;
  readonly dynamic: DynamicAdmission;
}

/**
 * The admission chain of an extension API server: NamespaceLifecycle, and the policies and webhooks of the core API. Throws FlagError, also when a
 * plugin has the name of another one. Source: NewAdmissionOptions of k8s.io/apiserver/pkg/server/options.
 */
export function extensionAdmission(flags: ParsedFlags, sources: ExtensionAdmissionSources): ExtensionAdmission {
  const { stores, client, authorizer, logger, plugins = [], services = dnsServiceResolver } = sources;
  const names = new Set(extensionPluginOrder.map(([name]) => name));
  for (const { name } of plugins) {
    if (names.has(name)) throw new FlagError(`there are two admission plugins ${JSON.stringify(name)}`);
    names.add(name);
  }
  const order = [...extensionPluginOrder, ...plugins.map(({ name }) => [name, true] as const)];
  const { selection, generic } = admissionOptions(flags, order);
  const lookup = new StorageLookup(stores);
  const dynamic = new DynamicAdmission({
    open: stores,
    lookup,
    client,
    builtin: builtinMapper,
    types: builtinType,
    services,
    webhookUsers: generic.webhookUsers,
    // The stores report why.
    onError: (error) => logger.debug(`following the configuration of admission: ${errorMessage(error)}`),
  });
  const factories = {
    ...extensionPlugins({ lookup, authorizer, dynamic }),
    ...Object.fromEntries(plugins.map((plugin) => [plugin.name, () => plugin])),
  };
  return { chain: composeAdmission(factories, selection, order).chain, dynamic };
}
