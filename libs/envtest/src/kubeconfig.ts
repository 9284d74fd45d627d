import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { kubeconfig } from '@apichain/chain/setup';
import { errorMessage, parseYaml, record } from '@apichain/meta';
import { existingKubeconfig } from '@apichain/testing/support';
import type { RestConfig } from './rest.ts';

/** What `buildKubeconfig` writes. */
export interface KubeconfigInput {
  server: string;
  /** PEM texts. */
  caPem: string;
  clientCertPem: string;
  clientKeyPem: string;
  /** Defaults: `envtest-admin` and `envtest`. */
  userName?: string;
  clusterName?: string;
}

/** The text of a kubeconfig with one cluster, one user and one context, which has the name of the cluster. Certificates are embedded. */
export function buildKubeconfig(input: KubeconfigInput): string {
  const { server, caPem: ca, clientCertPem: cert, clientKeyPem: key } = input;
  const { userName: user = 'envtest-admin', clusterName: cluster = 'envtest' } = input;
  return kubeconfig({ server, ca, cert, key, user, names: { cluster, user, context: cluster } });
}

/** A context of a kubeconfig: its credentials, and the names of the context, its cluster and its user. */
export interface ParsedKubeconfig {
  config: RestConfig;
  context: string;
  cluster: string;
  user: string;
}

/** Options of `parseKubeconfig`. */
export interface ParseKubeconfigOptions {
  /** Default: the current context. */
  context?: string;
  /** The folder that paths of certificates are relative to. Default: the working directory. */
  baseDir?: string;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * The address and credentials of a context. Throws Error that names what is missing: a certificate authority and a client certificate are required;
 * tokens, plugins and insecure-skip-tls-verify are not supported. https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/
 */
export async function parseKubeconfig(text: string, options: ParseKubeconfigOptions = {}): Promise<ParsedKubeconfig> {
  const document: unknown = parseYaml(text);
  if (typeof document !== 'object' || document === null)
    throw new Error('the kubeconfig is empty or not a YAML mapping');
  const config = record(document);
  const context = options.context ?? textOf(config, 'current-context');
  if (context === undefined) throw new Error('the kubeconfig has no current-context; pass the name of a context');
  const entry = named(config, 'contexts', 'context', context);
  const cluster = textOf(entry, 'cluster') ?? '';
  const user = textOf(entry, 'user') ?? '';
  const ofCluster = named(config, 'clusters', 'cluster', cluster);
  const ofUser = named(config, 'users', 'user', user);
  const server = textOf(ofCluster, 'server');
  if (server === undefined) throw new Error(`the kubeconfig's cluster ${JSON.stringify(cluster)} has no server`);
  const pem = (fields: Fields, field: string) => pemOf(fields, field, options.baseDir ?? '.');
  const caPem = await pem(ofCluster, 'certificate-authority');
  if (caPem === undefined)
    throw new Error(
      `the kubeconfig's cluster ${JSON.stringify(cluster)} has no certificate-authority; insecure-skip-tls-verify is not supported`,
    );
  const certPem = await pem(ofUser, 'client-certificate');
  const keyPem = await pem(ofUser, 'client-key');
  if (certPem === undefined || keyPem === undefined)
    throw new Error(
      `the kubeconfig's user ${JSON.stringify(user)} has no client certificate with a key; only client-certificate auth is supported`,
    );
  return {
    config: { server: httpsUrl(server, 'the server of the kubeconfig'), caPem, certPem, keyPem },
    context,
    cluster,
    user,
  };
}

/** Options of `loadKubeconfig`. */
export interface LoadKubeconfigOptions {
  /** Default: the first readable file of KUBECONFIG, otherwise ~/.kube/config. Several files are not merged. */
  path?: string;
  context?: string;
}

/** A context of a kubeconfig, and its file. */
export interface LoadedKubeconfig extends ParsedKubeconfig {
  path: string;
}

/** As parseKubeconfig, for a file. Throws Error that names the files when none can be read. */
export async function loadKubeconfig({ path, context }: LoadKubeconfigOptions = {}): Promise<LoadedKubeconfig> {
  let file = path;
  let text: string;
  try {
    file ??= existingKubeconfig();
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new Error(`cannot read kubeconfig: ${errorMessage(error)}`, { cause: error });
  }
  const parsed = await parseKubeconfig(text, { baseDir: dirname(file), context });
  return { ...parsed, path: file };
}

/** The URL of a server, with https if it has no scheme, as kubectl reads it. Throws Error, with `what` as subject, for other schemes. */
export function httpsUrl(server: string, what: string): string {
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(server) ? server : `https://${server}`;
  if (!URL.canParse(url)) throw new Error(`${what} is not a valid URL: ${JSON.stringify(server)}`);
  if (new URL(url).protocol !== 'https:')
    throw new Error(`${what} must be an https URL, not ${JSON.stringify(server)}`);
  return url;
}

function textOf(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function named(config: Fields, list: string, field: string, name: string): Fields {
  const entries = Array.isArray(config[list]) ? config[list].map(record) : [];
  const found = entries.find((entry) => entry['name'] === name);
  if (found === undefined) throw new Error(`the kubeconfig has no ${field} named ${JSON.stringify(name)}`);
  return record(found[field]);
}

const base64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** The text in `NAME-data`, otherwise that of the file in `NAME`. */
async function pemOf(fields: Fields, name: string, folder: string): Promise<string | undefined> {
  const data = textOf(fields, `${name}-data`);
  if (data !== undefined) {
    // Node would skip other characters, and the certificate would fail later.
    if (!base64.test(data) || data.length % 4 !== 0) throw new Error(`invalid base64 in "${name}-data"`);
    return Buffer.from(data, 'base64').toString();
  }
  const file = textOf(fields, name);
  return file === undefined ? undefined : readFile(resolve(folder, file), 'utf8');
}
