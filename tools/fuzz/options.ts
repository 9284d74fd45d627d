import { flags, UsageError } from '../command/command.ts';
import { connectionOf, credentialFlags } from '../command/credentials.ts';
import type { RunOptions } from './run.ts';
import type { TargetOptions } from './target.ts';

export const usage = `usage: npm run fuzz -- --kubeconfig FILE | --url URL [--token T] [--ca F] [--cert F --key F] [--insecure]
               [--seed N] [--requests N] [--seconds N] [--connections N] [--timeout SECONDS]
               [--namespace NAME] [--only INDEX] [--no-minimize]

Sends requests that no client should send to an API server that nobody needs afterwards (it creates, changes and deletes
objects) and fails on any 5xx except 503 and 504, on reset connections and on requests without a response.
Everything it sends follows from the seed: --seed N --only INDEX sends one request of a run again.`;

export interface FuzzOptions {
  readonly target: TargetOptions;
  readonly run: RunOptions;
}

/** The value of an option that takes a non-negative number. Throws UsageError. */
export function numberOf(name: string, text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  const value = Number(text);
  if (text === '' || !Number.isFinite(value) || value < 0) throw new UsageError(`--${name} ${text} is not a number`);
  return value;
}

const parse = flags({
  ...credentialFlags,
  url: { type: 'string' },
  seed: { type: 'string' },
  requests: { type: 'string' },
  seconds: { type: 'string' },
  connections: { type: 'string' },
  timeout: { type: 'string' },
  namespace: { type: 'string' },
  only: { type: 'string' },
  minimize: { type: 'boolean' },
});

/** Parses the command line and reads the files that it names. Throws UsageError, and Error for files that cannot be read. */
export function parseOptions(args: readonly string[]): FuzzOptions {
  const values = parse(args);
  const connections = numberOf('connections', values.connections, 4);
  const seed = numberOf('seed', values.seed, Date.now() % 2 ** 31);
  return {
    target: {
      ...connectionOf(values.url, values),
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
