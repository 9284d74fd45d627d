import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { flagsAndArguments, runCommand } from '../command/command.ts';
import { compareTexts, type Recorded } from '../comparison/compare.ts';
import { chainPlatform, kubeApiServerPlatform, type CorePlatform } from './extension-server/platform.ts';
import { startProvider } from './tokens/provider.ts';
import { reviewTokens } from './tokens/reviews.ts';

const usage = `usage: node tools/compatibility/tokens.ts KUBE_APISERVER ETCD

Sends tokens with a value of every JSON type in the place of every claim to a kube-apiserver and to the chain, and compares the TokenReviews.
The exit code is 1 if they differ.`;

const parse = flagsAndArguments(2, {});

async function run({ arguments: [kubeApiServer = '', etcd = ''] }: ReturnType<typeof parse>): Promise<number> {
  const root = mkdtempSync(join(tmpdir(), 'apichain-tokens-'));
  const provider = await startProvider(root);
  const flags = ['--service-account-lookup=false', '--api-audiences=api', ...provider.flags];
  const reviewsOf = async (platform: CorePlatform): Promise<Recorded> => {
    const reviews = await platform.use(() => reviewTokens(platform, provider));
    const accepted = [...reviews.values()].filter((review) => review.includes('"authenticated":true')).length;
    console.log(`${platform.name}: accepts ${accepted} of ${reviews.size} tokens`);
    return { name: platform.name, texts: new Map([...reviews].map(([name, text]) => [name, compared(name, text)])) };
  };
  try {
    const expected = await reviewsOf(kubeApiServerPlatform(join(root, 'kube-apiserver'), kubeApiServer, etcd, flags));
    const actual = await reviewsOf(chainPlatform(join(root, 'chain'), ['--in-process', ...flags]));
    return compareTexts(expected, actual) === 0 ? 0 : 1;
  } finally {
    await provider.close();
    rmSync(root, { recursive: true, force: true });
  }
}

/**
 * What is compared: of a number that no double can hold only whether the token is accepted, because the error quotes the number as it was written; and no
 * times, because Go prints others than a Date can hold, and not why a certificate is none.
 */
function compared(name: string, review: string): string {
  if (name.endsWith('= 1e999')) return String(review.includes('"authenticated":true'));
  return review
    .replaceAll('1e+30', '1e30')
    .replace(/x5c header: .*: \\"/, 'x5c header: PROBLEM: "')
    .replace(/Token Expiry: [^)]+/, 'Token Expiry: TIME')
    .replace(/current time .* before/, 'current time TIME before');
}

await runCommand({ name: 'tokens', usage, parse, run });
