import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { isContainer } from '@apichain/meta';
import { parse as parseYaml } from 'yaml';
import type { RunOptions } from './run.ts';
import type { TargetOptions } from './target.ts';

export const usage = `usage: npm run fuzz -- --kubeconfig FILE | --url URL [--token T] [--ca F] [--cert F --key F] [--insecure]
               [--seed N] [--requests N] [--seconds N] [--connections N] [--timeout SECONDS]
               [--namespace NAME] [--only INDEX] [--no-minimize]

Sends requests that no client should send to an API server that nobody needs afterwards (it creates, changes and deletes
objects) and fails on any 5xx except 503 and 504, on reset connections and on requests without an answer.
Everything it sends follows from the seed: --seed N --only INDEX sends one request of a run again.`;

export interface FuzzOptions {
  readonly target: TargetOptions;
  readonly run: RunOptions;
}

/** An error in the arguments. The message is for the user. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

type Credentials = Omit<TargetOptions, 'timeout' | 'connections'>;

/** The text at a path in nested records and lists, or '' if there is none. */
function textAt(value: unknown, ...path: (string | number)[]): string {
  const found = path.reduce<unknown>((node, step) => (isContainer(node) ? node[step] : undefined), value);
  return typeof found === 'string' ? found : '';
}

/** The first cluster and user of a kubeconfig. */
export function fromKubeconfig(text: string): Credentials {
  const config: unknown = parseYaml(text);
  const cluster = (name: string) => textAt(config, 'clusters', 0, 'cluster', name);
  const user = (name: string) => textAt(config, 'users', 0, 'user', name);
  const pem = (data: string, file: string) =>
    data === '' ? (file === '' ? undefined : readFileSync(file, 'utf8')) : Buffer.from(data, 'base64').toString('utf8');
  const ca = pem(cluster('certificate-authority-data'), cluster('certificate-authority'));
  const certificate = pem(user('client-certificate-data'), user('client-certificate'));
  const key = pem(user('client-key-data'), user('client-key'));
  const token = user('token');
  if (cluster('server') === '') throw new UsageError('the kubeconfig names no server');
  return {
    url: cluster('server'),
    ...(ca === undefined ? {} : { ca }),
    ...(certificate === undefined ? {} : { certificate }),
    ...(key === undefined ? {} : { key }),
    ...(token === '' ? {} : { token }),
  };
}

/** The value of an option that takes a non-negative number. Throws UsageError. */
export function numberOf(name: string, text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  const value = Number(text);
  if (text === '' || !Number.isFinite(value) || value < 0) throw new UsageError(`--${name} ${text} is not a number`);
  return value;
}

/** Parses the command line and reads the files that it names. Throws UsageError, and Error for files that cannot be read. */
export function parseOptions(args: readonly string[]): FuzzOptions {
  const { values } = parseArgs({
    args: [...args],
    allowNegative: true,
    options: {
      kubeconfig: { type: 'string' },
      url: { type: 'string' },
      token: { type: 'string' },
      ca: { type: 'string' },
      cert: { type: 'string' },
      key: { type: 'string' },
      insecure: { type: 'boolean' },
      seed: { type: 'string' },
      requests: { type: 'string' },
      seconds: { type: 'string' },
      connections: { type: 'string' },
      timeout: { type: 'string' },
      namespace: { type: 'string' },
      only: { type: 'string' },
      minimize: { type: 'boolean' },
    },
  });
  const file = (path: string | undefined) => (path === undefined ? undefined : readFileSync(path, 'utf8'));
  const base = values.kubeconfig === undefined ? undefined : fromKubeconfig(readFileSync(values.kubeconfig, 'utf8'));
  const url = values.url ?? base?.url;
  if (url === undefined) throw new UsageError('--kubeconfig or --url must say which server to send requests to');
  if (!URL.canParse(url)) throw new UsageError(`--url ${url} is not a URL`);
  const given = {
    ca: file(values.ca),
    certificate: file(values.cert),
    key: file(values.key),
    token: values.token,
    insecure: values.insecure,
  };
  const connections = numberOf('connections', values.connections, 4);
  const seed = numberOf('seed', values.seed, Date.now() % 2 ** 31);
  return {
    target: {
      ...base,
      ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
      url: url.replace(/\/$/, ''),
      timeout: numberOf('timeout', values.timeout, 20) * 1000,
      connections,
    },
    run: {
      seed,
      requests: numberOf('requests', values.requests, Number.MAX_SAFE_INTEGER),
      seconds: numberOf('seconds', values.seconds, values.requests === undefined ? 60 : 3_600),
      connections,
      namespace: values.namespace ?? `fuzz-${seed}`,
      ...(values.only === undefined ? {} : { only: numberOf('only', values.only, 0) }),
      minimize: values.minimize !== false,
    },
  };
}
