import { httpTransport, loadKubeconfig, ReviewWebhook } from '@apichain/client';
import { goQuote } from '@apichain/meta';
import { FlagError } from './flag.ts';
import type { ParsedFlags } from './parse-flags.ts';

const versions: readonly string[] = ['v1', 'v1beta1'];

/** The webhook that the kubeconfig of a flag leads to; undefined when the flag is empty. Throws FlagError. */
export function reviewWebhookOf(flags: ParsedFlags, flag: string): ReviewWebhook | undefined {
  const file = flags.string(flag);
  if (file === '') return undefined;
  try {
    const config = loadKubeconfig(file);
    const { origin, pathname, search } = new URL(config.url);
    return new ReviewWebhook({ transport: httpTransport({ ...config, url: origin }), path: `${pathname}${search}` });
  } catch (error) {
    throw new FlagError(`--${flag}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The version of the reviews that a flag says. Throws FlagError for one that there is not. */
export function reviewVersionOf(flags: ParsedFlags, flag: string): string {
  const version = flags.string(flag);
  if (versions.includes(version)) return version;
  const known = versions.map(goQuote).join(', ');
  throw new FlagError(`--${flag}: unsupported version ${goQuote(version)}, supported versions are ${known}`);
}
