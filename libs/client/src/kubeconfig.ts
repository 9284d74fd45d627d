import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseYaml } from '@apichain/meta';
import type { HttpTransportOptions } from './transport.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * How the current context of a kubeconfig reaches its server: address, authority and client certificate or token.
 * Throws Error that names the file and what is missing in it.
 * Source: https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/
 */
export function loadKubeconfig(file: string): HttpTransportOptions {
  const config = asFields(parseYaml(readFileSync(file)));
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
    ['token', token(file, user)],
  ];
  return {
    url,
    ...Object.fromEntries(entries.filter(([, value]) => typeof value === 'string')),
    ...(cluster['insecure-skip-tls-verify'] === true ? { insecureSkipTlsVerify: true } : {}),
  };
}

function named(file: string, config: Fields, list: string, field: string, name: unknown): Fields {
  const entries = Array.isArray(config[list]) ? config[list].map(asFields) : [];
  const found = entries.find((entry) => entry['name'] === name);
  if (found === undefined) throw new Error(`${file}: ${list} has no ${JSON.stringify(name ?? '')}`);
  return asFields(found[field]);
}

function inlineOrFile(file: string, fields: Fields, name: string): string | undefined {
  const data = fields[`${name}-data`];
  if (typeof data === 'string') return Buffer.from(data, 'base64').toString('utf8');
  const path = fields[name];
  return typeof path === 'string' ? readFileSync(resolve(dirname(file), path), 'utf8') : undefined;
}

function token(file: string, user: Fields): string | undefined {
  if (typeof user['token'] === 'string') return user['token'];
  const path = user['tokenFile'];
  return typeof path === 'string' ? readFileSync(resolve(dirname(file), path), 'utf8').trim() : undefined;
}

function asFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}
