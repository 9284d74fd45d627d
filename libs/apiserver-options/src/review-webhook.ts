import { errorMessage } from '@apichain/meta';
import { httpTransport, loadKubeconfig, ReviewWebhook } from '@apichain/client';
import { formatDuration, goQuote } from '@apichain/go-text';
import { FlagError } from './flag.ts';

import type { ParsedFlags } from './parse-flags.ts';

const versions: readonly string[] = ['v1', 'v1beta1'];

/** The webhook that the kubeconfig of a flag leads to; undefined when the flag is empty. Throws FlagError. */
export function reviewWebhookOf(flags: ParsedFlags, flag: string): ReviewWebhook | undefined {
  const file = flags.string(flag);
  return file === '' ? undefined : reviewWebhookAt(file, `--${flag}`);
}

/** The webhook that a kubeconfig leads to; `timeoutMs` is how long to wait for an answer. Throws FlagError, which begins with `context`. */
export function reviewWebhookAt(file: string, context: string, timeoutMs?: number): ReviewWebhook {
  try {
    const config = loadKubeconfig(file);
    const url = new URL(config.url);
    // The webhook is told how long it has.
    if (timeoutMs !== undefined) url.searchParams.set('timeout', formatDuration(BigInt(Math.round(timeoutMs * 1e6))));
    const transport = httpTransport({ ...config, url: url.origin });
    return new ReviewWebhook({
      transport,
      path: `${url.pathname}${url.search}`,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    });
  } catch (error) {
    throw new FlagError(`${context}: ${errorMessage(error)}`);
  }
}

/** The version of the reviews that a flag says. Throws FlagError for one that there is not. */
export function reviewVersionOf(flags: ParsedFlags, flag: string): string {
  const version = flags.string(flag);
  if (versions.includes(version)) return version;
  const known = versions.map(goQuote).join(', ');
  throw new FlagError(`--${flag}: unsupported version ${goQuote(version)}, supported versions are ${known}`);
}
