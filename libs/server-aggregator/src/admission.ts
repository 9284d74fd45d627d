import {
  composeAdmission,
  DynamicAdmission,
  genericPlugins,
  lookedUp,
  serviceResolver,
  type ServiceRouting,
  StorageLookup,
  storageQuotaWriter,
  type AdmissionChain,
} from '@apichain/admission';
import { admissionOptions, type ParsedFlags } from '@apichain/apiserver-options';
import { type EtcdStorage } from '@apichain/apiserver';
import { type Logger } from '@apichain/request';
import type { Authorizer } from '@apichain/authz';
import { builtinMapper, builtinStores, builtinType } from '@apichain/kinds/model';

interface AggregatorAdmission {
  readonly chain: AdmissionChain;
  /** Must be started with the server. */
  readonly dynamic: DynamicAdmission;
}

/**
 * The admission of APIServices. The objects that it decides by belong to the core server and are read from the core server's storage. Throws
 * FlagError.
 */
export function aggregatorAdmission(
  flags: ParsedFlags,
  etcd: EtcdStorage,
  authorizer: Authorizer,
  logger: Logger,
  routing: ServiceRouting,
): AggregatorAdmission {
  const { selection, generic } = admissionOptions(flags);
  const open = builtinStores(etcd);
  const lookup = new StorageLookup(open);
  const dynamic = new DynamicAdmission({
    open,
    lookup,
    builtin: builtinMapper,
    types: builtinType,
    services: serviceResolver(lookup, routing),
    webhookUsers: generic.webhookUsers,
    onError: (error) => logger.warn({ err: error }, 'following the configuration of admission failed, trying again'),
  });
  const writeQuotaStatus = storageQuotaWriter(() => open(lookedUp.resourceQuotas));
  // The selection may name plugins of other servers of the chain; they are ignored here.
  const { chain } = composeAdmission(
    genericPlugins({ lookup, writeQuotaStatus, authorizer, dynamic, limitedResources: generic.limitedResources }),
    selection,
  );
  return { chain, dynamic };
}
