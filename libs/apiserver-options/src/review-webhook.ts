import { errorMessage } from '@apichain/meta';
import { httpTransport, loadKubeconfig, ReviewWebhook } from '@apichain/client';
import { formatDuration, goQuote } from '@apichain/go-text';
import { FlagError } from './flag.ts';

import type { ParsedFlags } from './parse-flags.ts';

const versions: readonly string[] = ['v1', 'v1beta1'];

/** The webhook in the kubeconfig that a flag names; undefined when the flag is empty. Throws FlagError. */
export function reviewWebhookOf(flags: ParsedFlags, flag: string): ReviewWebhook | undefined {
  const file = flags.string(flag);
  return file === '' ? undefined : reviewWebhookAt(file, `--${flag}`);
}

/** The webhook of a kubeconfig; `timeoutMs` is the timeout of a request. Throws FlagError, which begins with `context`. */
export function reviewWebhookAt(file: string, context: string, timeoutMs?: number): ReviewWebhook {
  try {
    const config = loadKubeconfig(file);
    const url = new URL(config.url);
    // Tells the webhook its timeout.
    if (timeoutMs !== undefined) url.searchParams.set('timeout', formatDuration(BigInt(Math.round(timeoutMs * 1e6))));
    const transport = httpTransport({ ...config, url: url.origin });
    return new ReviewWebhook({
      transport,
      path: `${url.pathname}${url.search}`,
      timeoutMs,
    });
  } catch (error) {
    throw new FlagError(`${context}: ${errorMessage(error)}`);
  }
}

/** The version of reviews that a flag sets. Throws FlagError for an unknown version. */
export function reviewVersionOf(flags: ParsedFlags, flag: string): string {
  const version = flags.string(flag);
  if (versions.includes(version)) return version;
  const known = versions.map(goQuote).join(', ');
  throw new FlagError(`--${flag}: unsupported version ${goQuote(version)}, supported versions are ${known}`);
}
