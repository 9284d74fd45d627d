import {
  httpTransport,
  inClusterConfig,
  loadKubeconfig,
  NotInClusterError,
  type HttpTransportOptions,
  type Transport,
} from '@apichain/client';
import { errorMessage } from '@apichain/meta';
import { restClientMetrics } from '@apichain/observability';
import { FlagError, type ParsedFlags } from '@apichain/apiserver-options';
import type { Registry } from 'prom-client';

/** The flags with a kubeconfig of the core API. */
type KubeconfigFlag = 'kubeconfig' | 'authentication-kubeconfig' | 'authorization-kubeconfig';

/** What the connection of each flag is for, in error messages. */
const purposes: Readonly<Record<KubeconfigFlag, string>> = {
  kubeconfig: 'core API',
  'authentication-kubeconfig': 'delegated authentication',
  'authorization-kubeconfig': 'delegated authorization',
};

/**
 * Connections to the core API. A flag without a kubeconfig means the configuration of the pod; outside of a pod, that of `--kubeconfig`, where a
 * server of k8s.io/apiserver does not start. Flags with the same configuration share a connection.
 */
export class CoreConnections {
  readonly #flags: ParsedFlags;
  readonly #name: string;
  readonly #inCluster: () => HttpTransportOptions;
  readonly #counted: ReturnType<typeof restClientMetrics> | undefined;
  readonly #open = new Map<string, Transport>();

  /** `name` = the user agent. `inCluster` replaces the configuration of the pod. */
  constructor(
    flags: ParsedFlags,
    name: string,
    inCluster: () => HttpTransportOptions = inClusterConfig,
    metrics?: Registry,
  ) {
    this.#flags = flags;
    this.#name = name;
    this.#inCluster = inCluster;
    this.#counted = metrics === undefined ? undefined : restClientMetrics(metrics);
  }

  /** The connection of a flag. Throws FlagError. */
  of(flag: KubeconfigFlag): Transport {
    const { file, options } = this.#configOf(flag);
    let transport = this.#open.get(file);
    if (transport === undefined) {
      transport = this.#connect(flag, file, options);
      this.#open.set(file, transport);
    }
    return transport;
  }

  /** The URL of the core API for a flag. Throws FlagError. */
  urlOf(flag: KubeconfigFlag): string {
    return this.#configOf(flag).options.url;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map((transport) => transport.close()));
  }

  #connect(flag: KubeconfigFlag, file: string, options: HttpTransportOptions): Transport {
    try {
      const transport = httpTransport({ ...options, userAgent: this.#name });
      return this.#counted?.(transport, new URL(options.url).host) ?? transport;
    } catch (error) {
      throw new FlagError(`--${flag} ${file}: ${errorMessage(error)}`);
    }
  }

  /** The options of a flag's connection, and the file they are from; '' = the pod. */
  #configOf(flag: KubeconfigFlag): { readonly file: string; readonly options: HttpTransportOptions } {
    const file = this.#flags.string(flag);
    try {
      if (file !== '') return { file, options: loadKubeconfig(file) };
      const shared = this.#flags.string('kubeconfig');
      return shared === '' ? { file, options: this.#inCluster() } : this.#inClusterOr(shared);
    } catch (error) {
      const hint = error instanceof NotInClusterError ? '; outside of a pod, --kubeconfig must be given' : '';
      throw new FlagError(`failed to get ${purposes[flag]} kubeconfig: ${errorMessage(error)}${hint}`);
    }
  }

  #inClusterOr(file: string): { readonly file: string; readonly options: HttpTransportOptions } {
    try {
      return { file: '', options: this.#inCluster() };
    } catch (error) {
      if (error instanceof NotInClusterError) return { file, options: loadKubeconfig(file) };
      throw error;
    }
  }
}
