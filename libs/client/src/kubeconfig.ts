import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { errorMessage, hasErrorCode, parseYaml, record } from '@apichain/meta';
import { execCommandOf } from './exec-credentials.ts';
import type { HttpTransportOptions } from './transport.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * The connection options of the current context of a kubeconfig: address, CA, and client certificate, token or the command that prints them. Throws
 * Error with the file and the missing setting, and for an `auth-provider`, which Kubernetes has removed. Source: https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/
 */
export function loadKubeconfig(file: string): HttpTransportOptions {
  const config = record(parseYaml(readFileSync(file)));
  const context = named(file, config, 'contexts', 'context', config['current-context']);
  const cluster = named(file, config, 'clusters', 'cluster', context['cluster']);
  const user = named(file, config, 'users', 'user', context['user']);
  const url = cluster['server'];
  if (typeof url !== 'string') throw new Error(`${file}: the cluster of the current context has no server`);
  const pem = (fields: Fields, name: string) => inlineOrFile(file, fields, name);
  const serverName = cluster['tls-server-name'];
  const entries: [keyof HttpTransportOptions, unknown][] = [
    ['ca', pem(cluster, 'certificate-authority')],
    ['serverName', serverName],
    ['cert', pem(user, 'client-certificate')],
    ['key', pem(user, 'client-key')],
    ['token', user['token']],
    ['tokenFile', tokenFile(file, user)],
  ];
  const isSet = (name: string) => user[name] !== undefined && user[name] !== null;
  if (isSet('auth-provider'))
    throw new Error(`${file}: the user of the current context has auth-provider, which is not supported`);
  return {
    url,
    ...Object.fromEntries(entries.filter(([, value]) => typeof value === 'string')),
    ...(isSet('exec') ? { exec: execCommandOf(file, record(user['exec']), cluster) } : {}),
    ...(cluster['insecure-skip-tls-verify'] === true ? { insecureSkipTlsVerify: true } : {}),
  };
}

/** The file that kubectl would use: that of KUBECONFIG, or ~/.kube/config. Throws Error when there is none, or when KUBECONFIG names several. */
export function defaultKubeconfig(env: Readonly<Record<string, string | undefined>> = process.env): string {
  const named = (env['KUBECONFIG'] ?? '').split(delimiter).filter((file) => file !== '');
  if (named.length > 1) throw new Error('KUBECONFIG names several files, of which one must be chosen');
  const file = named[0] ?? join(homedir(), '.kube', 'config');
  if (!existsSync(file)) throw new Error(`${file} does not exist`);
  return file;
}

/** The credentials of a user in a kubeconfig. */
export interface KubeconfigUser {
  /** PEM. */
  readonly cert?: string;
  readonly key?: string;
  /** The value of the Authorization header. */
  readonly authorization?: string;
}

/**
 * The users of a kubeconfig by name, and the name of the current context's user. Throws Error with client-go's message when the file cannot be read.
 */
export function loadKubeconfigUsers(file: string): {
  readonly users: ReadonlyMap<string, KubeconfigUser>;
  readonly current?: string;
} {
  const config = record(readKubeconfig(file));
  const entries = (list: string) => (Array.isArray(config[list]) ? config[list].map(record) : []);
  const context = entries('contexts').find(({ name }) => name === config['current-context']);
  const current = record(context?.['context'])['user'];
  return {
    users: new Map(entries('users').map(({ name, user }) => [String(name), userOf(file, record(user))])),
    ...(typeof current === 'string' ? { current } : {}),
  };
}

function readKubeconfig(file: string): unknown {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    const isMissing = hasErrorCode(error, 'ENOENT');
    throw isMissing ? new Error(`stat ${file}: no such file or directory`, { cause: error }) : error;
  }
  try {
    return parseYaml(bytes);
  } catch (error) {
    const why = errorMessage(error);
    throw new Error(`error loading config file ${JSON.stringify(file)}: ${why}`, { cause: error });
  }
}

function userOf(file: string, user: Fields): KubeconfigUser {
  const cert = inlineOrFile(file, user, 'client-certificate');
  const key = inlineOrFile(file, user, 'client-key');
  const bearer = token(file, user);
  const { username, password } = user;
  const basic =
    typeof username === 'string'
      ? Buffer.from(`${username}:${typeof password === 'string' ? password : ''}`).toString('base64')
      : undefined;
  return {
    cert,
    key,
    ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
    ...(bearer !== undefined || basic === undefined ? {} : { authorization: `Basic ${basic}` }),
  };
}

function named(file: string, config: Fields, list: string, field: string, name: unknown): Fields {
  const entries = Array.isArray(config[list]) ? config[list].map(record) : [];
  const found = entries.find((entry) => entry['name'] === name);
  if (found === undefined) throw new Error(`${file}: ${list} has no ${JSON.stringify(name ?? '')}`);
  return record(found[field]);
}

function inlineOrFile(file: string, fields: Fields, name: string): string | undefined {
  const data = fields[`${name}-data`];
  if (typeof data === 'string') return Buffer.from(data, 'base64').toString('utf8');
  const path = fields[name];
  return typeof path === 'string' ? readFileSync(resolve(dirname(file), path), 'utf8') : undefined;
}

function token(file: string, user: Fields): string | undefined {
  if (typeof user['token'] === 'string') return user['token'];
  const path = tokenFile(file, user);
  return path === undefined ? undefined : readFileSync(path, 'utf8').trim();
}

function tokenFile(file: string, user: Fields): string | undefined {
  const path = user['tokenFile'];
  return typeof path === 'string' && path !== '' ? resolve(dirname(file), path) : undefined;
}
