/**
 * A folder that the files of tests of one run share, though they run in several processes. mocha loads this file before the tests
 * (`require` in .mocharc.e2e.json); the folder is removed after the last test.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from './chain.ts';

const variable = 'APICHAIN_E2E_RUN_FOLDER';

export function mochaGlobalSetup(): void {
  process.env[variable] = mkdtempSync(join(tmpdir(), 'apichain-e2e-run-'));
  // What programs print is compared without colors.
  delete process.env['FORCE_COLOR'];
}

export function mochaGlobalTeardown(): void {
  rmSync(runFolder(), { recursive: true, force: true });
}

function runFolder(): string {
  const folder = process.env[variable];
  if (folder === undefined) throw new Error(`${variable} is not set: run mocha with --config .mocharc.e2e.json`);
  return folder;
}

/**
 * The folder of a name, which `make` fills once in a run. Whoever asks meanwhile waits, at most five minutes. Throws Error, for everybody who
 * asks, when `make` failed.
 */
export async function shared(name: string, make: (folder: string) => void | Promise<void>): Promise<string> {
  const folder = join(runFolder(), name);
  const outcome = `${folder}.outcome`;
  if (mkdirSync(folder, { recursive: true }) === undefined) {
    await waitFor(
      () => existsSync(outcome),
      300_000,
      () => `nobody has made ${folder}`,
    );
  } else {
    let failure = '';
    try {
      await make(folder);
    } catch (error) {
      failure = error instanceof Error ? (error.stack ?? error.message) : String(error);
    }
    // Whoever waits must not read half of it.
    writeFileSync(`${outcome}.new`, failure);
    renameSync(`${outcome}.new`, outcome);
  }
  const failure = readFileSync(outcome, 'utf8');
  if (failure !== '') throw new Error(`${folder} could not be made:\n${failure}`);
  return folder;
}
