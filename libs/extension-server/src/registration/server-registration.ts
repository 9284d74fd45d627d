import { mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { FlagError, readFlagFile, type ParsedFlags } from '@apichain/apiserver-options';
import type { RestClient } from '@apichain/client';
import { errorMessage } from '@apichain/meta';
import type { Logger } from '@apichain/request';
import { checkCaBundle } from './ca-bundle.ts';
import { directoryStore, secretStore } from './authority-store.ts';
import { parseRegisteredGroupVersion } from './group-versions.ts';
import { namespaceOf } from './kubeconfig-namespace.ts';
import { checkServerName } from './registered-objects.ts';
import { hostOf, ownAddress } from './own-address.ts';
import { register, type Report } from './register.ts';
import { ServingCertificate } from './serving-certificate.ts';
import {
  isLoopback,
  parseAddress,
  parseNamespace,
  parseServiceTarget,
  type RegistrationTarget,
  type ServiceTarget,
} from './target.ts';
import { unregister } from './unregister.ts';

/** A server that registers itself. */
interface RegisteredServer {
  readonly name: string;
  /** `GROUP/VERSION` of everything it serves. */
  readonly groupVersions: readonly string[];
  /** A hash of its resources. */
  readonly revision?: string;
  /** A client of the core API, and the URL it calls. */
  readonly client: RestClient;
  readonly apiServerUrl: string;
  /** The kubeconfig of the client; undefined in a pod. */
  readonly kubeconfig: string | undefined;
  /** The server's data directory, if it has one. */
  readonly dataDirectory: string | undefined;
}

interface Settings {
  readonly service: ServiceTarget | undefined;
  readonly address: { readonly host: string; readonly port: number } | undefined;
  readonly bindAddress: string;
  readonly namespace: string;
  readonly user: string | false | undefined;
  readonly force: boolean;
}

/**
 * The registration of a server with `registrationFlags`: `open` before the server reads its certificate, `register` when it listens and before it is
 * ready, `run` for as long as it serves, `close` at the end.
 *
 * With --register-rbac=false, the user needs these rights: get, list, create, patch and delete `apiservices`; in the namespace, get, create and
 * patch `services`, get, list, create, patch and delete `endpointslices` and, for --cert-secret, get, create and update `secrets`. To make
 * role bindings, the user needs the bound rights too, or the verbs `bind` and `escalate`. `unregister` lists and deletes objects of all
 * these kinds in all namespaces.
 */
export class ServerRegistration {
  readonly #server: RegisteredServer;
  readonly #settings: Settings;
  readonly #caBundle: string | ServingCertificate;
  readonly #temporaryDirectory: string | undefined;
  #target: RegistrationTarget | undefined;

  private constructor(
    server: RegisteredServer,
    settings: Settings,
    caBundle: string | ServingCertificate,
    temporaryDirectory: string | undefined,
  ) {
    this.#server = server;
    this.#settings = settings;
    this.#caBundle = caBundle;
    this.#temporaryDirectory = temporaryDirectory;
  }

  /**
   * Reads the flags. Loads or makes the serving certificate, unless there is a --tls-cert-file. Throws FlagError for an invalid flag, and
   * RegistrationError when the certificate cannot be made.
   */
  static async open(server: RegisteredServer, flags: ParsedFlags): Promise<ServerRegistration> {
    const settings = settingsOf(server, flags);
    const caBundle = givenCaBundle(flags);
    if (caBundle !== undefined) return new ServerRegistration(server, settings, caBundle, undefined);
    const { service, namespace } = settings;
    const isInSecret = flags.bool('cert-secret');
    const { directory, isTemporary } = certificateDirectory(server, namespace, flags.string('cert-dir'), isInSecret);
    try {
      const certificate = await ServingCertificate.open({
        server: server.name,
        hosts: hostsOf(service ?? { namespace, name: server.name }, await reachableHost(server, settings)),
        directory,
        store: isInSecret
          ? secretStore(server.client, server.name, service?.namespace ?? namespace)
          : directoryStore(directory),
      });
      return new ServerRegistration(server, settings, certificate, isTemporary ? directory : undefined);
    } catch (error) {
      if (isTemporary) rmSync(directory, { recursive: true, force: true });
      throw error;
    }
  }

  /** The file with the certificate and its key that were made; undefined when the flags name a certificate. */
  get certificateFile(): string | undefined {
    return typeof this.#caBundle === 'string' ? undefined : this.#caBundle.file;
  }

  /** Registers the server, which listens on `port`. Throws RegistrationError. */
  async register(port: number, report: Report): Promise<void> {
    const target = await this.#targetOf(port, report);
    this.#target = target;
    const certificate = this.#caBundle;
    const publish = (caBundle: string) => this.#register(target, caBundle, report);
    await (typeof certificate === 'string' ? publish(certificate) : certificate.publish(publish));
  }

  /** Renews the certificate before it expires, until the signal aborts. */
  run(logger: Logger, signal: AbortSignal): void {
    const target = this.#target;
    if (target === undefined || typeof this.#caBundle === 'string') return;
    const report: Report = (line) => logger.info({ registration: line }, 'the serving certificate has a new authority');
    this.#caBundle.run((caBundle) => this.#register(target, caBundle, report), logger, signal);
  }

  /** Deletes what was registered. Throws RegistrationError. */
  unregister(report: Report): Promise<void> {
    return unregister({ client: this.#server.client, server: this.#server.name, report });
  }

  /** Removes temporary files. */
  close(): void {
    if (this.#temporaryDirectory !== undefined) rmSync(this.#temporaryDirectory, { recursive: true, force: true });
  }

  #register(target: RegistrationTarget, caBundle: string, report: Report): Promise<void> {
    const { client, name, groupVersions, revision } = this.#server;
    const { user, force } = this.#settings;
    return register({
      client,
      server: name,
      groupVersions: groupVersions.map(parseRegisteredGroupVersion),
      target,
      caBundle,
      revision,
      ...(user === undefined ? {} : { user }),
      force,
      flagPrefix: 'register-',
      report,
    });
  }

  async #targetOf(port: number, report: Report): Promise<RegistrationTarget> {
    const { service, address, namespace } = this.#settings;
    if (service !== undefined) return { service };
    if (address !== undefined) return { address: { ...address, namespace } };
    const { apiServerUrl } = this.#server;
    const host = await reachableHost(this.#server, this.#settings);
    if (isLoopback(host) && !isLoopback(hostOf(apiServerUrl)))
      report(`note: ${apiServerUrl} may be on another machine and cannot reach ${host} here: see --register-address`);
    return { address: { host, port, namespace } };
  }
}

/** The host under which the API server reaches the server, unless it does so through the Service of --register-service. */
async function reachableHost({ apiServerUrl }: RegisteredServer, settings: Settings): Promise<string> {
  return settings.address?.host ?? (await ownAddress(settings.bindAddress, apiServerUrl));
}

function settingsOf(server: RegisteredServer, flags: ParsedFlags): Settings {
  const given = <Value>(flag: string, parse: (text: string) => Value): Value | undefined => {
    const text = flags.string(flag);
    try {
      return text === '' ? undefined : parse(text);
    } catch (error) {
      throw new FlagError(`--${flag}: ${errorMessage(error)}`);
    }
  };
  checkServerName(server.name);
  server.groupVersions.forEach(parseRegisteredGroupVersion);
  const service = given('register-service', parseServiceTarget);
  const address = given('register-address', parseAddress);
  if (service !== undefined && address !== undefined)
    throw new FlagError('--register-service and --register-address exclude each other');
  if (service !== undefined && flags.isSet('register-namespace'))
    throw new FlagError('--register-namespace is for a Service that is made; --register-service names its own');
  const user = given('register-user', String);
  return {
    service,
    address,
    namespace: given('register-namespace', parseNamespace) ?? namespaceOf(server.kubeconfig),
    bindAddress: flags.string('bind-address'),
    user: flags.bool('register-rbac') ? user : false,
    force: flags.bool('register-force'),
  };
}

/** The authorities of the certificate that the flags name; undefined if they name none. */
function givenCaBundle(flags: ParsedFlags): string | undefined {
  const text = readFlagFile(flags, 'register-ca-file');
  const hasCertificate = flags.string('tls-cert-file') !== '';
  if (!hasCertificate) {
    if (text !== undefined)
      throw new FlagError('--register-ca-file needs --tls-cert-file, whose authority it contains');
    return undefined;
  }
  if (text === undefined)
    throw new FlagError(
      '--register with --tls-cert-file needs --register-ca-file, the authorities of this certificate',
    );
  for (const flag of ['cert-dir', 'cert-secret'])
    if (flags.isSet(flag)) throw new FlagError(`--${flag} has no effect with --tls-cert-file: no certificate is made`);
  try {
    checkCaBundle(text);
  } catch (error) {
    throw new FlagError(`--register-ca-file: ${errorMessage(error)}`);
  }
  return text;
}

/** The names of a certificate: that of the Service, which aggregators expect, and those for clients that connect directly. */
function hostsOf({ namespace, name }: { namespace: string; name: string }, host: string): string[] {
  const ofService = [`${name}.${namespace}.svc`, `${name}.${namespace}.svc.cluster.local`];
  return [...new Set([...ofService, 'localhost', '127.0.0.1', '::1', host])];
}

/** With a Secret, the directory contains nothing that another start needs. Pods often have no writable home directory. */
function certificateDirectory(
  { name, dataDirectory }: RegisteredServer,
  namespace: string,
  given: string,
  isInSecret: boolean,
): { readonly directory: string; readonly isTemporary: boolean } {
  if (given !== '') return { directory: given, isTemporary: false };
  if (isInSecret) return { directory: mkdtempSync(join(tmpdir(), `${name}-serving-`)), isTemporary: true };
  if (dataDirectory !== undefined) return { directory: join(dataDirectory, 'serving'), isTemporary: false };
  const { XDG_STATE_HOME: stateHome = '' } = process.env;
  const state = stateHome === '' ? join(homedir(), '.local', 'state') : stateHome;
  return { directory: join(state, 'apichain', 'servers', namespace, name), isTemporary: false };
}
