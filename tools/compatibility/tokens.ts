/**
 * Sends tokens with a value of every JSON type in the place of every claim to a kube-apiserver and to the chain, and compares the TokenReviews:
 *
 *   node tools/compatibility/tokens.ts KUBE_APISERVER ETCD
 *
 * The exit code is 1 if they differ.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorMessage } from '@apichain/meta';
import { chainPlatform, kubeApiServerPlatform, type CorePlatform } from './extension-server/platform.ts';
import { startProvider } from './tokens/provider.ts';
import { reviewTokens } from './tokens/reviews.ts';

async function main([kubeApiServer, etcd]: readonly string[]): Promise<number> {
  if (kubeApiServer === undefined || etcd === undefined) {
    console.error('usage: node tools/compatibility/tokens.ts KUBE_APISERVER ETCD');
    return 2;
  }
  const root = mkdtempSync(join(tmpdir(), 'apichain-tokens-'));
  const provider = await startProvider(root);
  const flags = ['--service-account-lookup=false', '--api-audiences=api', ...provider.flags];
  const reviewsOf = async (platform: CorePlatform) => {
    mkdirSync(platform.directory, { recursive: true });
    try {
      await platform.start();
      return await reviewTokens(platform, provider);
    } finally {
      await platform.stop();
    }
  };
  try {
    const expected = await reviewsOf(kubeApiServerPlatform(join(root, 'kube-apiserver'), kubeApiServer, etcd, flags));
    const actual = await reviewsOf(chainPlatform(join(root, 'chain'), ['--in-process', ...flags]));
    return compare(expected, actual) === 0 ? 0 : 1;
  } finally {
    provider.close();
    rmSync(root, { recursive: true, force: true });
  }
}

/**
 * What is compared: of a number that no double can hold only whether the token is accepted, because the error quotes the number as it was written; and no
 * times, because Go prints others than a Date can hold, and not why a certificate is none.
 */
function compared(name: string, review = 'nothing'): string {
  if (name.endsWith('= 1e999')) return String(review.includes('"authenticated":true'));
  return review
    .replaceAll('1e+30', '1e30')
    .replace(/x5c header: .*: \\"/, 'x5c header: PROBLEM: "')
    .replace(/Token Expiry: [^)]+/, 'Token Expiry: TIME')
    .replace(/current time .* before/, 'current time TIME before');
}

/** How many reviews differ. */
function compare(expected: ReadonlyMap<string, string>, actual: ReadonlyMap<string, string>): number {
  let differences = 0;
  for (const [name, review] of expected) {
    if (compared(name, actual.get(name)) === compared(name, review)) continue;
    differences++;
    console.log(`${name}\n  kube-apiserver: ${review}\n  chain:          ${actual.get(name) ?? 'nothing'}`);
  }
  const accepted = [...expected.values()].filter((review) => review.includes('"authenticated":true')).length;
  console.log(`${expected.size} tokens, of which kube-apiserver accepts ${accepted}; ${differences} reviews differ`);
  return differences;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(errorMessage(error));
  process.exitCode = 2;
}
