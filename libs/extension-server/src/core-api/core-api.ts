import type { DelegatedAccess } from '@apichain/apiserver';
import type { ParsedFlags } from '@apichain/apiserver-options';
import { RestClient, type HttpTransportOptions, type Transport } from '@apichain/client';
import type { Logger } from '@apichain/request';
import { FollowedFiles } from '@apichain/serving';
import type { ResourceStores } from '@apichain/storage';
import type { Registry } from 'prom-client';
import { extensionAdmission, type ExtensionAdmission, type ExtensionAdmissionSources } from './admission.ts';
import { delegatedAuthentication } from './authentication.ts';
import { delegatedAuthorization } from './authorization.ts';
import { CoreConnections } from './connections.ts';
import { remoteStores } from './remote/remote-stores.ts';
import { RepeatedErrors } from './repeated-errors.ts';

/** What an extension API server passes to `coreApiOf` in addition to its flags. */
interface CoreApiParts {
  /** The name of the server, for the core API's audit. */
  readonly name: string;
  readonly logger: Logger;
  /** Replaces the configuration of the pod where a flag with a kubeconfig is empty. */
  readonly inCluster?: () => HttpTransportOptions;
  /** Counts reviews and hits of the cache of tokens. */
  readonly metrics?: Registry;
}

/** The core API as an extension API server uses it. */
export interface CoreApi {
  /** For `serverConfig`. */
  readonly access: DelegatedAccess;
  /** The built-in resources of the core API, for admission, policies and flow control. */
  readonly stores: ResourceStores;
  /** A client of the core API, with the credentials of `--kubeconfig`. */
  readonly client: RestClient;
  /** The connection of `client`. It is closed with the core API. */
  readonly transport: Transport;
  /** The URL of the core API. */
  readonly url: string;
  /** Throws FlagError. */
  admission(parts?: Pick<ExtensionAdmissionSources, 'plugins' | 'services'>): ExtensionAdmission;
  /** Ends following the core API, and closes the connections to it. */
  close(): Promise<void>;
}

/**
 * Connects an extension API server to the core API: delegates authentication and authorization to it, and reads its objects. Throws FlagError, with
 * one line, when a flag is invalid, when there is no kubeconfig, and when the core API does not tell how its front proxy is recognized.
 */
export async function coreApiOf(
  flags: ParsedFlags,
  { name, logger, inCluster, metrics }: CoreApiParts,
): Promise<CoreApi> {
  const files = new FollowedFiles();
  const connections = new CoreConnections(flags, name, inCluster, metrics);
  const ended = new AbortController();
  try {
    const transport = connections.of('kubeconfig');
    const client = new RestClient(transport);
    const errors = new RepeatedErrors(logger);
    const stores = remoteStores({ client, errors, signal: ended.signal });
    const observers = { errors, metrics };
    const authorization = delegatedAuthorization(flags, connections.of('authorization-kubeconfig'), observers);
    const authenticating = connections.of('authentication-kubeconfig');
    const authentication = await delegatedAuthentication(flags, files, authenticating, logger, observers);
    return {
      access: { files, authorization, ...authentication },
      stores,
      client,
      transport,
      url: connections.urlOf('kubeconfig'),
      admission: (parts = {}) =>
        extensionAdmission(flags, { stores, client, authorizer: authorization.authorizer, logger, ...parts }),
      close: () => {
        ended.abort();
        return connections.close();
      },
    };
  } catch (error) {
    await connections.close();
    throw error;
  }
}
