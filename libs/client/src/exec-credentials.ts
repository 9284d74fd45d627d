import { dirname, resolve } from 'node:path';
import { errorMessage, hasErrorCode, parseJson, record, stringifyJson } from '@apichain/meta';

type Fields = Readonly<Record<string, unknown>>;

const group = 'client.authentication.k8s.io';
const versions: readonly unknown[] = [`${group}/v1`, `${group}/v1beta1`];
/** How long a command may take, in milliseconds. It cannot ask anybody for anything. */
const timeoutMs = 60_000;

/** A command that prints credentials, as the `exec` of a user in a kubeconfig describes it. */
export interface ExecCommand {
  readonly apiVersion: string;
  /** The name of a program on the PATH, or a path. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** What a user does when the program is not there. */
  readonly installHint?: string;
  /** What the command is told about the cluster, if it wants to be. */
  readonly cluster?: Fields;
}

/** Credentials that a command has printed. Certificate and key are PEM texts. */
export interface ExecCredential {
  readonly token?: string;
  readonly cert?: string;
  readonly key?: string;
  /** Milliseconds since 1970. */
  readonly expiresAt?: number;
}

/**
 * The command of a kubeconfig's user. Throws Error for one that cannot be run: without a name, of another version, or only with a terminal.
 * Source: https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/#ExecConfig
 */
export function execCommandOf(file: string, exec: Fields, cluster: Fields): ExecCommand {
  const { apiVersion, command, args, env, installHint, interactiveMode, provideClusterInfo } = exec;
  const refuse = (why: string) => new Error(`${file}: the exec plugin of the current context's user ${why}`);
  if (typeof command !== 'string' || command === '') throw refuse('has no command');
  if (typeof apiVersion !== 'string' || !versions.includes(apiVersion))
    throw refuse(`has the apiVersion ${JSON.stringify(apiVersion ?? '')}, which is not ${versions.join(' or ')}`);
  if (interactiveMode === 'Always') throw refuse('needs a terminal (interactiveMode: Always), which is not supported');
  if (typeof interactiveMode !== 'string' && apiVersion === versions[0]) throw refuse('has no interactiveMode');
  const variables = (Array.isArray(env) ? env.map(record) : []).map(({ name, value }) => [String(name), String(value)]);
  return {
    apiVersion,
    // As in client-go: a name is looked for on the PATH, a path begins at the kubeconfig.
    command: command.includes('/') ? resolve(dirname(file), command) : command,
    args: Array.isArray(args) ? args.map(String) : [],
    env: Object.fromEntries(variables) as Record<string, string>,
    ...(typeof installHint === 'string' && { installHint }),
    ...(provideClusterInfo === true && { cluster: clusterInfo(cluster) }),
  };
}

/** https://kubernetes.io/docs/reference/config-api/client-authentication.v1/#client-authentication-k8s-io-v1-Cluster */
function clusterInfo(cluster: Fields): Fields {
  const names = ['server', 'tls-server-name', 'insecure-skip-tls-verify', 'certificate-authority-data', 'proxy-url'];
  const extensions = Array.isArray(cluster['extensions']) ? cluster['extensions'].map(record) : [];
  const config = extensions.find(({ name }) => name === `${group}/exec`)?.['extension'];
  return {
    ...Object.fromEntries(names.filter((name) => cluster[name] !== undefined).map((name) => [name, cluster[name]])),
    ...(config !== undefined && { config }),
  };
}

/**
 * The credentials of a command. It is run for the first request, and again when they have expired or the server has refused them; requests of the same
 * time share a run. After `exec.Authenticator` of k8s.io/client-go.
 */
export class ExecCredentials {
  readonly #command: ExecCommand;
  readonly #now: () => number;
  #known: ExecCredential | undefined;
  #running: Promise<ExecCredential> | undefined;

  /** `now` returns milliseconds since 1970. */
  constructor(command: ExecCommand, now: () => number = Date.now) {
    this.#command = command;
    this.#now = now;
  }

  /** Rejects with Error when the command cannot be run, fails, or prints no credentials. What it printed is in no message: it may be secret. */
  current(): Promise<ExecCredential> {
    const { expiresAt = Infinity } = this.#known ?? {};
    if (this.#known !== undefined && this.#now() < expiresAt) return Promise.resolve(this.#known);
    this.#running ??= this.#run().finally(() => (this.#running = undefined));
    return this.#running;
  }

  /** The server refused these credentials. */
  refused(credential: ExecCredential): void {
    if (this.#known === credential) this.#known = undefined;
  }

  async #run(): Promise<ExecCredential> {
    const { command } = this.#command;
    try {
      this.#known = credentialOf(this.#command.apiVersion, await output(this.#command));
      return this.#known;
    } catch (error) {
      throw new Error(`getting credentials: exec: ${command}: ${errorMessage(error)}`, { cause: error });
    }
  }
}

async function output({ apiVersion, command, args, env, installHint, cluster }: ExecCommand): Promise<string> {
  // A client with other credentials starts no programs.
  const { execFile } = await import('node:child_process');
  const info = { kind: 'ExecCredential', apiVersion, spec: { interactive: false, ...(cluster && { cluster }) } };
  const options = { env: { ...process.env, ...env, KUBERNETES_EXEC_INFO: stringifyJson(info) }, timeout: timeoutMs };
  return new Promise((done, failed) => {
    const child = execFile(command, args, options, (error, stdout, stderr) => {
      if (error === null) return done(stdout);
      const hint = installHint === undefined ? '' : `\n${installHint}`;
      if (hasErrorCode(error, 'ENOENT')) return failed(new Error(`the program is not found${hint}`));
      if (error.killed === true) return failed(new Error(`it has not ended within ${timeoutMs / 1000} s`));
      const why = stderr.trim().split('\n').at(-1) ?? '';
      failed(new Error(`it failed with ${error.code ?? error.signal ?? 'an error'}${why === '' ? '' : `: ${why}`}`));
    });
    child.stdin?.end();
  });
}

/** Reads an ExecCredential. Throws Error for another object. https://kubernetes.io/docs/reference/config-api/client-authentication.v1/ */
function credentialOf(apiVersion: string, text: string): ExecCredential {
  const printed = record(parsed(text));
  if (printed['kind'] !== 'ExecCredential') throw new Error('it printed no ExecCredential');
  if (printed['apiVersion'] !== apiVersion)
    throw new Error(`it is to use ${apiVersion}, and printed ${JSON.stringify(printed['apiVersion'] ?? '')}`);
  const { token, clientCertificateData: cert, clientKeyData: key, expirationTimestamp } = record(printed['status']);
  if ((cert === undefined) !== (key === undefined)) throw new Error('it printed a certificate or a key, not both');
  if (typeof token !== 'string' && typeof cert !== 'string')
    throw new Error('it printed neither a token nor a certificate');
  const expiresAt = typeof expirationTimestamp === 'string' ? Date.parse(expirationTimestamp) : undefined;
  if (Number.isNaN(expiresAt)) throw new Error('it printed an expirationTimestamp that is no time');
  return {
    ...(typeof token === 'string' && { token }),
    ...(typeof cert === 'string' && typeof key === 'string' && { cert, key }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    // The error of the parser would quote a part of it.
    throw new Error('it printed no JSON');
  }
}
