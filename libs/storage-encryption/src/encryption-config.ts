import { createHash } from 'node:crypto';
import { watch, type FSWatcher } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { asError, errorMessage, formatGroupResource, hasErrorCode, sleep, type GroupResource } from '@apichain/meta';
import type { ValueTransformer } from '@apichain/storage';
import { parseEncryptionConfiguration } from './configuration.ts';
import type { ProbeOptions } from './kms/probe.ts';
import { buildTransformers, type BuildOptions, type TransformerSet } from './transformers.ts';

/** The name of the health check, served at /healthz and /readyz (not /livez). */
export const kmsHealthCheckName = 'kms-providers';

export interface EncryptionHealthCheck {
  readonly name: string;
  /** Rejects with the reason when a KMS plugin is not healthy. */
  check(): Promise<void>;
}

/** Encryption at rest as configured by a file: https://kubernetes.io/docs/tasks/administer-cluster/encrypt-data/ */
export interface EncryptionTransformers {
  /** The transformer of a resource, named by the group that stores it. The transformer follows reloads of the file. */
  transformerFor(resource: GroupResource): ValueTransformer;
  /** Empty, or one check named `kms-providers`: present when KMS plugins are configured, and always when the file is reloaded. */
  readonly healthChecks: readonly EncryptionHealthCheck[];
  /** `sha256:<hex>` of the file in effect. */
  readonly contentHash: string;
  /** Stops watching the file and closes the connections to plugins. */
  close(): void;
}

export interface LoadOptions {
  /** Reload the file when it changes (--encryption-provider-config-automatic-reload). */
  readonly reload: boolean;
  /** Called for every change of the file: the new configuration is in effect, or the reason why the last valid one remains. */
  readonly onReload?: (outcome: ReloadOutcome) => void;
  /** Milliseconds between checks of the file. Default: one minute, as in kube-apiserver. A change that the OS reports is noticed at once. */
  readonly pollIntervalMs?: number;
  /** For tests. */
  readonly probe?: Pick<ProbeOptions, 'now' | 'healthyIntervalMs' | 'unhealthyIntervalMs'>;
  readonly healthTimeoutMs?: number;
}

/** The result of a reload of the encryption configuration; the hash is the file's. */
export type ReloadOutcome =
  | { readonly succeeded: true; readonly contentHash: string }
  | { readonly succeeded: false; readonly error: Error };

const defaultPollIntervalMs = 60_000;
/** A new configuration whose plugins are not healthy within this time is rejected, in milliseconds. */
const minHealthTimeoutMs = 10_000;
const healthPollInterval = 100;
/** Waits for further steps of a change, in milliseconds: editors and kubelets change a file in several steps. */
const settleTime = 50;

interface LoadedFile {
  readonly bytes: Buffer;
  readonly contentHash: string;
}

async function loadFile(path: string): Promise<LoadedFile> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    const isMissing = hasErrorCode(error, 'ENOENT');
    const why = isMissing ? `open ${path}: no such file or directory` : errorMessage(error);
    throw new Error(`error reading encryption provider configuration file ${JSON.stringify(path)}: ${why}`, {
      cause: error,
    });
  }
  if (bytes.length === 0) throw new Error(`encryption provider configuration file ${JSON.stringify(path)} is empty`);
  return { bytes, contentHash: `sha256:${createHash('sha256').update(bytes).digest('hex')}` };
}

async function readConfiguration(path: string): Promise<LoadedFile> {
  try {
    return await loadFile(path);
  } catch (error) {
    throw new Error(`error while parsing file: error while loading file: ${errorMessage(error)}`, { cause: error });
  }
}

async function build(path: string, file: LoadedFile, options: BuildOptions): Promise<TransformerSet> {
  let configuration;
  try {
    configuration = parseEncryptionConfiguration(file.bytes);
  } catch (error) {
    throw new Error(
      `error while parsing file: error decoding encryption provider configuration file ${JSON.stringify(path)}: ${errorMessage(error)}`,
      { cause: error },
    );
  }
  return buildTransformers(configuration, options);
}

async function checkProbes({ probes }: TransformerSet): Promise<void> {
  const results = await Promise.allSettled(probes.map((probe) => probe.check()));
  const problems = results.flatMap((result, i) =>
    result.status === 'rejected' ? [`kms-provider-${i}: ${errorMessage(result.reason)}`] : [],
  );
  if (problems.length > 0) throw new Error(problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`);
}

/** Resolves when the plugins of a set are healthy. After `timeout`, throws the last reason why they are not. */
async function untilHealthy(set: TransformerSet, timeout: number, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + timeout;
  for (;;) {
    try {
      await checkProbes(set);
      return;
    } catch (error) {
      if (Date.now() >= deadline) {
        throw new Error(`health check for new transformers failed: ${errorMessage(error)}`, { cause: error });
      }
    }
    await delay(healthPollInterval, undefined, { signal });
  }
}

/** The set in effect and the file that configures it. */
class CurrentConfiguration {
  readonly #path: string;
  readonly #options: LoadOptions;
  readonly #stopped = new AbortController();
  #set: TransformerSet;
  #contentHash: string;
  /** Incremented with every set, so that transformers look up their rule once per set. */
  #generation = 0;
  #wake: () => void = () => undefined;
  #watcher: FSWatcher | undefined;

  constructor(path: string, options: LoadOptions, set: TransformerSet, contentHash: string) {
    this.#path = path;
    this.#options = options;
    this.#set = set;
    this.#contentHash = contentHash;
  }

  get contentHash(): string {
    return this.#contentHash;
  }

  check(): Promise<void> {
    return checkProbes(this.#set);
  }

  transformerFor(resource: GroupResource): ValueTransformer {
    let generation = this.#generation;
    let transformer = this.#set.transformerFor(resource);
    const current = () => {
      if (generation !== this.#generation) {
        generation = this.#generation;
        transformer = this.#set.transformerFor(resource);
      }
      return transformer;
    };
    return {
      toStorage: (plain, authenticatedData) => current().toStorage(plain, authenticatedData),
      fromStorage: (stored, authenticatedData) => current().fromStorage(stored, authenticatedData),
    };
  }

  follow(): void {
    this.#watcher = this.#watchDirectory();
    void this.#keepReloading();
  }

  close(): void {
    this.#stopped.abort();
    this.#watcher?.close();
    this.#set.close();
  }

  /** Watches the directory, because files are replaced rather than written. Where the OS reports no changes, only polling remains. */
  #watchDirectory(): FSWatcher | undefined {
    try {
      const watcher = watch(dirname(this.#path), { persistent: false }, () => this.#wake());
      watcher.on('error', () => watcher.close());
      return watcher;
    } catch {
      return undefined;
    }
  }

  async #keepReloading(): Promise<void> {
    const { signal } = this.#stopped;
    for (;;) {
      await this.#nextLook();
      if (signal.aborted) return;
      try {
        const loaded = await this.#reload();
        if (loaded) this.#options.onReload?.({ succeeded: true, contentHash: this.#contentHash });
      } catch (error) {
        if (!signal.aborted) this.#options.onReload?.({ succeeded: false, error: asError(error) });
      }
    }
  }

  async #nextLook(): Promise<void> {
    const { signal } = this.#stopped;
    const awake = new AbortController();
    this.#wake = () => awake.abort();
    const interval = this.#options.pollIntervalMs ?? defaultPollIntervalMs;
    const either = AbortSignal.any([signal, awake.signal]);
    const woken = await delay(interval, false, { signal: either, ref: false }).catch(() => true);
    if (woken && !signal.aborted) await sleep(settleTime, signal);
  }

  async #reload(): Promise<boolean> {
    const file = await readConfiguration(this.#path);
    if (file.contentHash === this.#contentHash) return false;
    const set = await build(this.#path, file, { ...this.#options, reload: true });
    try {
      const timeout = this.#options.healthTimeoutMs ?? Math.max(minHealthTimeoutMs, set.closeGracePeriodMs);
      await untilHealthy(set, timeout, this.#stopped.signal);
    } catch (error) {
      set.close();
      throw error;
    }
    this.#replace(set, file.contentHash);
    return true;
  }

  #replace(set: TransformerSet, contentHash: string): void {
    const old = this.#set;
    this.#set = set;
    this.#contentHash = contentHash;
    this.#generation++;
    // The delay lets calls that are under way finish.
    setTimeout(() => old.close(), old.closeGracePeriodMs).unref();
  }
}

/**
 * Loads an EncryptionConfiguration file and, if requested, follows its changes. A changed file that cannot be used leaves the last valid
 * configuration in effect. Throws Error with kube-apiserver's message when the first load fails.
 */
export async function loadEncryptionConfig(path: string, options: LoadOptions): Promise<EncryptionTransformers> {
  const file = await readConfiguration(path);
  const set = await build(path, file, options);
  const current = new CurrentConfiguration(path, options, set, file.contentHash);
  if (options.reload) current.follow();
  const checked = options.reload || set.probes.length > 0;
  const transformers = new Map<string, ValueTransformer>();
  return {
    transformerFor: (resource) => {
      const name = formatGroupResource(resource);
      const known = transformers.get(name) ?? current.transformerFor(resource);
      transformers.set(name, known);
      return known;
    },
    healthChecks: checked ? [{ name: kmsHealthCheckName, check: () => current.check() }] : [],
    get contentHash() {
      return current.contentHash;
    },
    close: () => current.close(),
  };
}
