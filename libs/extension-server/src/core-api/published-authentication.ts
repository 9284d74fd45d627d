import type { RestClient } from '@apichain/client';
import type { HookContext } from '@apichain/observability';
import type { Logger } from '@apichain/request';
import { errorMessage, isStatusError, type KubeObject } from '@apichain/meta';
import { FollowedObjects } from '@apichain/storage';
import {
  authenticationConfigMap,
  clientAuthoritiesOf,
  frontProxiesOf,
  type ClientAuthorities,
  type FrontProxies,
} from './authentication-config-map.ts';
import { RemoteResource } from './remote/remote-resource.ts';
import { remoteStore } from './remote/remote-stores.ts';
import type { RepeatedErrors } from './repeated-errors.ts';

const resource = { group: '', resource: 'configmaps' } as const;
const { namespace, name } = authenticationConfigMap;
const place = `ConfigMap ${namespace}/${name}`;
const advice = `usually fixed by 'kubectl create rolebinding -n ${namespace} ROLEBINDING_NAME --role=extension-apiserver-authentication-reader --serviceaccount=YOUR_NS:YOUR_SA'`;

/** The functions that apply what the ConfigMap contains; absent where flags set it. */
export interface PublishedUses {
  readonly clientAuthorities?: (found: ClientAuthorities) => void;
  readonly frontProxies?: (found: FrontProxies) => void;
}

/**
 * Applies the ConfigMap in which the core API publishes authorities of client certificates and the settings of front proxies. Contents that cannot
 * be used, and missing contents, leave the last ones in effect.
 */
export class PublishedAuthentication {
  readonly #client: RestClient;
  readonly #uses: PublishedUses;
  readonly #logger: Logger;
  readonly #errors: RepeatedErrors;
  /** The resourceVersion of the ConfigMap that was applied, or tried, last. */
  #seen: string | undefined;

  constructor(client: RestClient, uses: PublishedUses, logger: Logger, errors: RepeatedErrors) {
    this.#client = client;
    this.#uses = uses;
    this.#logger = logger;
    this.#errors = errors;
  }

  /** Reads and applies the ConfigMap once. Does nothing when it does not exist. Throws Error, with one line, when it cannot be read or used. */
  async load(): Promise<void> {
    let configMap: KubeObject | undefined;
    try {
      configMap = await new RemoteResource(this.#client, resource).get(namespace, name);
    } catch (error) {
      const isForbidden = isStatusError(error) && error.code === 403;
      const hint = isForbidden ? `; ${advice}` : '';
      throw new Error(`unable to read ${place}: ${errorMessage(error)}${hint}`, { cause: error });
    }
    if (configMap === undefined) this.#logger.warn(`${place} does not exist yet`);
    else this.#apply(configMap);
  }

  /** Applies changes until the signal aborts. */
  follow({ signal }: Pick<HookContext, 'signal'>): void {
    const errors = this.#errors;
    const followed = new FollowedObjects({
      store: remoteStore({ client: this.#client, errors, signal }, resource, authenticationConfigMap),
      onChange: ({ put }) => {
        const configMap = put.at(-1)?.parse();
        if (configMap === undefined || configMap.metadata.resourceVersion === this.#seen) return;
        try {
          this.#apply(configMap);
          this.#logger.info(`${place} has been applied`);
        } catch (error) {
          errors.report('a change is not used, the last good state stays in effect', error);
        }
      },
    });
    void followed.run(signal);
  }

  /** Throws Error when something in the ConfigMap cannot be used. Nothing of it is applied then. */
  #apply(configMap: KubeObject): void {
    this.#seen = configMap.metadata.resourceVersion;
    const { clientAuthorities, frontProxies } = this.#uses;
    try {
      const authorities = clientAuthorities === undefined ? undefined : clientAuthoritiesOf(configMap);
      const proxies = frontProxies === undefined ? undefined : frontProxiesOf(configMap);
      if (authorities !== undefined) clientAuthorities?.(authorities);
      if (proxies !== undefined) frontProxies?.(proxies);
    } catch (error) {
      throw new Error(`${place}: ${errorMessage(error)}`, { cause: error });
    }
  }
}
