import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensurePki } from '@apichain/chain/setup';

/** The files of a directory by name. */
type Files = ReadonlyMap<string, string>;

/** Certificates of chains that have stopped, by the hosts for which they are valid. */
const unused = new Map<string, Files[]>();
/** How many are kept for the same hosts. More chains than that seldom run at a time. */
const mostKept = 8;

/** The certificates of a chain. */
export interface ChainPki {
  readonly directory: string;
  /** Lets a later chain of this process have the certificates. No server may use them any more. */
  release(): void;
}

/**
 * Certificates in a new directory: those of a chain of this process that has stopped, or new ones. To make them takes a tenth of the time in which a
 * chain starts. Chains that run at the same time never have the same.
 */
export async function takePki(directory: string, hosts: readonly string[]): Promise<ChainPki> {
  const key = hosts.join();
  mkdirSync(directory, { mode: 0o700 });
  for (const [name, text] of unused.get(key)?.pop() ?? [])
    writeFileSync(join(directory, name), text, { mode: name.endsWith('.key') ? 0o600 : 0o644 });
  // Makes only what is missing or expires soon.
  await ensurePki({ directory, hosts, services: ['aggregator'], inThisProcess: true });
  return {
    directory,
    release: () => {
      const kept = unused.get(key) ?? [];
      unused.set(key, kept);
      if (kept.length < mostKept) kept.push(readFiles(directory));
    },
  };
}

const readFiles = (directory: string): Files =>
  new Map(readdirSync(directory).map((name) => [name, readFileSync(join(directory, name), 'utf8')]));
