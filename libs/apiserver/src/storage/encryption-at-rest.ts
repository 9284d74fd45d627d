import { createHash } from 'node:crypto';
import type { GroupResource } from '@apichain/meta';
import { apiServerId } from '@apichain/request';
import { formatResource, storingPlain, type ValueTransformer } from '@apichain/storage';
import { loadEncryptionConfig, type EncryptionTransformers, type ReloadOutcome } from '@apichain/storage-encryption';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { GenericApiServer } from '../server.ts';

/** --encryption-provider-config and --encryption-provider-config-automatic-reload. */
export interface EncryptionOptions {
  readonly configFile: string;
  readonly reload: boolean;
}

/** The probes that check KMS plugins. `livez` is not among them: an unavailable plugin must not cause a restart of the server. */
const probes = ['healthz', 'readyz'] as const;

/**
 * What servers keep in etcd for themselves: no configuration applies to it, not even `*.*`, because kube-apiserver reads it unencrypted. Source:
 * Config.newServiceIPAllocators and NewLegacyRESTStorage of kubernetes 1.36, which open these stores without a transformer.
 */
const neverEncrypted: ReadonlySet<string> = new Set(['rangeallocations', 'apiServerIPInfo']);

/** Source: metrics.go of k8s.io/apiserver/pkg/server/options/encryptionconfig. */
function reloadCounter(registry: Registry): (status: 'success' | 'failure') => void {
  const name = 'apiserver_encryption_config_controller_automatic_reload';
  const labelNames = ['status', 'apiserver_id_hash'] as const;
  const registers = [registry];
  const total = new Counter({
    name: `${name}s_total`,
    help: 'Reloads of the encryption configuration, by their outcome and the server.',
    labelNames,
    registers,
  });
  const last = new Gauge({
    name: `${name}_last_timestamp_seconds`,
    help: 'When the encryption configuration was last reloaded, by the outcome and the server.',
    labelNames,
    registers,
  });
  const hash = `sha256:${createHash('sha256').update(apiServerId()).digest('hex')}`;
  return (status) => {
    const labels = { status, apiserver_id_hash: hash };
    total.inc(labels);
    last.set(labels, Date.now() / 1_000);
  };
}

/** Encryption at rest of one server: https://kubernetes.io/docs/tasks/administer-cluster/encrypt-data/ */
export class EncryptionAtRest {
  readonly #options: EncryptionOptions;
  readonly #countReload: (status: 'success' | 'failure') => void;
  #transformers: EncryptionTransformers | undefined;
  #report: (outcome: ReloadOutcome) => void = () => undefined;

  constructor(options: EncryptionOptions, registry: Registry) {
    this.#options = options;
    this.#countReload = reloadCounter(registry);
  }

  /** Reads the file. Throws Error with the message of kube-apiserver when the configuration is invalid. */
  async load(): Promise<void> {
    const { configFile, reload } = this.#options;
    this.#transformers ??= await loadEncryptionConfig(configFile, {
      reload,
      onReload: (outcome) => {
        this.#countReload(outcome.succeeded ? 'success' : 'failure');
        this.#report(outcome);
      },
    });
  }

  /** Throws Error before `load`, so that no value is stored unencrypted by accident. */
  transformerFor(resource: GroupResource): ValueTransformer {
    if (this.#transformers === undefined) throw new Error('the encryption configuration has not been loaded');
    const transformer = this.#transformers.transformerFor(resource);
    return neverEncrypted.has(formatResource(resource)) ? storingPlain(transformer) : transformer;
  }

  /** Adds the health checks of KMS plugins to a server, and logs reloads. */
  attach(server: GenericApiServer): void {
    const { configFile, reload } = this.#options;
    for (const check of this.#transformers?.healthChecks ?? []) server.health.add(check, probes);
    this.#report = (outcome) => {
      if (outcome.succeeded) server.config.logger.info({ configFile }, 'the encryption configuration was reloaded');
      else {
        const message = 'the changed encryption configuration is not used, the last good one stays in effect';
        server.config.logger.error({ configFile, err: outcome.error }, message);
      }
    };
    // Reloading has begun with `load`, so the hook does nothing. kube-apiserver has a hook of this name.
    if (reload) server.addPostStartHook('start-encryption-provider-config-automatic-reload', () => undefined);
  }

  close(): void {
    this.#transformers?.close();
  }
}
