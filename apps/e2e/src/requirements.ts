import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join, resolve } from 'node:path';
import { chromiumPath } from './browser.ts';
import { repository } from './chain.ts';

/** Skips the running suite with a reason. In CI a missing requirement is a failure. */
function missing(context: Mocha.Context, what: string): void {
  if (process.env['CI'] !== undefined) throw new Error(`${what} is required in CI`);
  console.log(`    skipped: ${what} is not there`);
  context.skip();
}

export function requireKubectl(context: Mocha.Context): void {
  if (spawnSync('kubectl', ['version', '--client']).status !== 0) missing(context, 'kubectl');
}

/** Debian's Chromium, for the console. */
export function requireChromium(context: Mocha.Context): void {
  if (chromiumPath() === undefined) missing(context, 'chromium');
}

/** The folder of recorded responses and real manifests: `../shared` beside the repository, or APICHAIN_SHARED. */
export function requireShared(context: Mocha.Context): string {
  const shared = resolve(process.env['APICHAIN_SHARED'] ?? join(repository, '../shared'));
  if (!existsSync(join(shared, 'golden'))) missing(context, 'the folder of recorded responses (APICHAIN_SHARED)');
  return shared;
}

/** An IPv4 address of this machine that an EndpointSlice may contain: those of loopback and link-local networks may not be in one. */
export function requireOwnAddress(context: Mocha.Context): string {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const own = addresses.find(
    ({ family, internal, address }) => family === 'IPv4' && !internal && !address.startsWith('169.254.'),
  );
  if (own === undefined) missing(context, 'a network interface');
  return own?.address ?? '';
}

/** The npm registry, from which a test installs packages that the repository does not have. */
export function requireRegistry(context: Mocha.Context): void {
  const { status } = spawnSync('npm', ['ping', '--fetch-retries=0', '--fetch-timeout=20000'], { timeout: 60_000 });
  if (status !== 0) missing(context, 'the npm registry');
}
