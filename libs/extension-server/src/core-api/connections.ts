import {
  httpTransport,
  inClusterConfig,
  loadKubeconfig,
  type HttpTransportOptions,
  type Transport,
} from '@apichain/client';
import { errorMessage } from '@apichain/meta';
import { FlagError, type ParsedFlags } from '@apichain/apiserver-options';

/** The flags with a kubeconfig of the core API. */
export type KubeconfigFlag = 'kubeconfig' | 'authentication-kubeconfig' | 'authorization-kubeconfig';

/** What the connection of each flag is for, in error messages. */
const purposes: Readonly<Record<KubeconfigFlag, string>> = {
  kubeconfig: 'core API',
  'authentication-kubeconfig': 'delegated authentication',
  'authorization-kubeconfig': 'delegated authorization',
};

/** Connections to the core API. Flags with the same kubeconfig share one. */
export class CoreConnections {
  readonly #flags: ParsedFlags;
  readonly #name: string;
  readonly #inCluster: () => HttpTransportOptions;
  readonly #open = new Map<string, Transport>();

  /** `name` = the user agent. `inCluster` replaces the configuration of the pod. */
  constructor(flags: ParsedFlags, name: string, inCluster: () => HttpTransportOptions = inClusterConfig) {
    this.#flags = flags;
    this.#name = name;
    this.#inCluster = inCluster;
  }

  /** The connection of a flag; an empty flag means the configuration of the pod. Throws FlagError. */
  of(flag: KubeconfigFlag): Transport {
    const file = this.#flags.string(flag);
    let transport = this.#open.get(file);
    if (transport === undefined) {
      transport = this.#connect(flag, file);
      this.#open.set(file, transport);
    }
    return transport;
  }

  /** The URL of the core API in the kubeconfig of a flag. Throws FlagError. */
  urlOf(flag: KubeconfigFlag): string {
    return this.#optionsOf(flag).url;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map((transport) => transport.close()));
  }

  #connect(flag: KubeconfigFlag, file: string): Transport {
    try {
      return httpTransport({ ...this.#optionsOf(flag), userAgent: this.#name });
    } catch (error) {
      throw error instanceof FlagError ? error : new FlagError(`--${flag} ${file}: ${errorMessage(error)}`);
    }
  }

  #optionsOf(flag: KubeconfigFlag): HttpTransportOptions {
    const file = this.#flags.string(flag);
    try {
      return file === '' ? this.#inCluster() : loadKubeconfig(file);
    } catch (error) {
      const hint = file === '' ? `; outside of a pod, --${flag} must be given` : '';
      throw new FlagError(`failed to get ${purposes[flag]} kubeconfig: ${errorMessage(error)}${hint}`);
    }
  }
}
