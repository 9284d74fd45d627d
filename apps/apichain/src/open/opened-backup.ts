import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FlagError } from '@apichain/apiserver-options';
import { BackupObjects, type StoredValue } from '@apichain/backup';
import { startInProcessChain, type InProcessChain } from '@apichain/chain';
import { certificateFlags, ensurePki, StartupError } from '@apichain/chain/setup';
import { startEmbeddedEtcd, type EmbeddedEtcd } from '@apichain/embedded-etcd';
import { errorMessage } from '@apichain/meta';
import { createLogger, surviveErrors } from '@apichain/request';
import { loadEncryptionConfig } from '@apichain/storage-encryption';
import { warnOfUnserved } from './backup-objects.ts';
import { writeKubeconfig } from '../up/access.ts';
import { LogFile } from '../up/log-file.ts';
import { flagsForFirst } from '../up/options.ts';
import { assertPortFree } from '../up/ports.ts';
import { warn } from '../up/say.ts';
import {
  readFileSource,
  revisionOf,
  valuesOf,
  warnOfEncrypted,
  type BackupSource,
  type SourceOptions,
} from './source.ts';

/** The options of `apichain open`. */
interface OpenOptions extends SourceOptions {
  readonly bindAddress: string;
  readonly securePort: number;
  /** The port of the console on 127.0.0.1. Undefined means no console. */
  readonly consolePort: number | undefined;
  readonly showSecrets: boolean;
}

/** A backup that is served read-only by a chain in this process. Its files are in a temporary directory that only this user can enter. */
export class OpenedBackup {
  readonly #source: BackupSource;
  readonly #options: OpenOptions;
  readonly #directory: string;
  readonly #log: LogFile;
  readonly #failure = Promise.withResolvers<never>();
  readonly #stopRequested = Promise.withResolvers<void>();
  #etcd: EmbeddedEtcd | undefined;
  #chain: InProcessChain | undefined;
  #starting: Promise<void> | undefined;
  #stopping = false;
  /** The values of a file, until what is not served was told. */
  #values: readonly StoredValue[] = [];
  #stopSurviving: () => void = () => undefined;
  /** What was opened, in a few words. */
  description = '';
  /** The administrator's kubeconfig, once the backup is served. */
  kubeconfig: string | undefined;

  constructor(source: BackupSource, options: OpenOptions) {
    this.#source = source;
    this.#options = options;
    this.#directory = mkdtempSync(join(tmpdir(), 'apichain-open-'));
    this.#log = new LogFile(join(this.#directory, 'apichain.log'), warn);
    // The failure reaches the users of `failed`. This handler prevents an unhandled rejection before there are any.
    this.#failure.promise.catch(() => undefined);
  }

  /** Rejects when the chain cannot continue. */
  get failed(): Promise<never> {
    return this.#failure.promise;
  }

  /** Resolves when the backup is served, or when `stop` was called meanwhile. Throws StartupError with one line. */
  start(): Promise<void> {
    this.#starting = this.#start();
    return this.#starting;
  }

  async #start(): Promise<void> {
    const { bindAddress, securePort, showSecrets, consolePort } = this.#options;
    await assertPortFree(bindAddress, securePort);
    const pki = join(this.#directory, 'pki');
    const certificates = ensurePki({ directory: pki, hosts: [bindAddress], services: ['aggregator'] });
    const [etcdServers] = await Promise.all([this.#openStore(), certificates]);
    if (this.#stopping) return;
    const log = (service: string) => createLogger(service, 0, this.#log);
    try {
      this.#chain = await startInProcessChain({
        flags: this.#flags(pki, etcdServers),
        aggregatorFlags: flagsForFirst({ consolePort }),
        logger: log,
        onFatal: (error) => this.#failure.reject(new StartupError(explain(error))),
        readOnly: { showSecrets },
      });
      await Promise.race([this.#chain.ready(), this.#stopRequested.promise]);
    } catch (error) {
      throw new StartupError(explain(error));
    }
    if (this.#stopping) return;
    const kubeconfig = join(this.#directory, 'kubeconfig');
    writeKubeconfig({ pki, kubeconfig }, { bindAddress, securePort, serviceFlags: [] });
    this.#stopSurviving = surviveErrors(log('apichain'));
    this.kubeconfig = kubeconfig;
    if (this.#source.kind === 'path') await this.#tellUnserved(this.#source.path);
    if (this.#source.kind === 'url') void this.#countEncrypted(this.#source.urls);
  }

  /** Says what of a file is not served. */
  async #tellUnserved(path: string): Promise<void> {
    const { prefix, encryptionConfig } = this.#options;
    const transformers =
      encryptionConfig === undefined ? undefined : await loadEncryptionConfig(encryptionConfig, { reload: false });
    try {
      const encryption = transformers === undefined ? {} : { encryption: transformers };
      const objects = await BackupObjects.of(this.#values, { prefix, ...encryption });
      warnOfUnserved(path, objects);
      const remote = await objects.ofExtensionServers();
      if (remote.length > 0)
        warn(`${path}: not in a backup are objects of extension API servers: ${remote.join(', ')}`);
    } finally {
      this.#values = [];
      transformers?.close();
    }
  }

  /** Reads everything once, as an API server does at its start. The backup is served meanwhile. */
  async #countEncrypted(urls: string): Promise<void> {
    try {
      await warnOfEncrypted(valuesOf(urls, this.#options), this.#options);
    } catch (error) {
      if (!this.#stopping) warn(`encrypted objects cannot be counted: ${errorMessage(error)}`);
    }
  }

  /** Ends everything and removes the files. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#stopRequested.resolve();
    // Waits for a start in progress, so that everything it opens is closed.
    await Promise.race([this.#starting, this.failed]).catch(() => undefined);
    await this.#chain?.stop();
    await this.#etcd?.close();
    this.#stopSurviving();
    this.#log.close();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  /** The value for `--etcd-servers`: a running etcd, or a store in memory with the contents of the backup. */
  async #openStore(): Promise<string> {
    const source = this.#source;
    if (source.kind === 'url') {
      this.description = `a running etcd, revision ${await revisionOf(source.urls, this.#options)}`;
      return source.urls;
    }
    const { form, contents, missing } = await readFileSource(source.path);
    if (missing !== undefined) warn(missing);
    this.description = `${form}, revision ${contents.revision}, ${contents.keys.size} keys`;
    if (contents.keys.size > 0 && !hasPrefix(contents.keys.keys(), `${this.#options.prefix}/`))
      warn(`no key begins with ${this.#options.prefix}/: choose another prefix with --prefix`);
    await warnOfEncrypted(contents.keys.values(), this.#options);
    this.#values = [...contents.keys.values()];
    this.#etcd = await startEmbeddedEtcd({ memory: true, inProcess: true, contents, expireLeases: false });
    return this.#etcd.url;
  }

  #flags(pki: string, etcdServers: string): readonly string[] {
    const { bindAddress, securePort, prefix, etcd, encryptionConfig } = this.#options;
    const given = (name: string, value: string | undefined) => (value === undefined ? [] : [`--${name}=${value}`]);
    return [
      `--bind-address=${bindAddress}`,
      `--secure-port=${securePort}`,
      `--etcd-servers=${etcdServers}`,
      `--etcd-prefix=${prefix}`,
      ...given('etcd-cafile', etcd.ca),
      ...given('etcd-certfile', etcd.cert),
      ...given('etcd-keyfile', etcd.key),
      ...given('encryption-provider-config', encryptionConfig),
      ...certificateFlags(pki),
      // The roles of the backup decide what other users may do, for `kubectl auth can-i --as`.
      '--authorization-mode=Node,RBAC',
      '--anonymous-auth=false',
      '--enable-priority-and-fairness=false',
      // Also objects of APIs that are off by default are shown.
      '--runtime-config=api/all=true',
    ];
  }
}

function hasPrefix(keys: Iterable<string>, prefix: string): boolean {
  for (const key of keys) if (key.startsWith(prefix)) return true;
  return false;
}

function explain(error: unknown): string {
  if (error instanceof FlagError) return `${error.message} (see apichain open --help)`;
  return errorMessage(error).replaceAll('\n', ' ');
}
