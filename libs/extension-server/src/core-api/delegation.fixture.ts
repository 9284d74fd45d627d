import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseFlags, type ParsedFlags } from '@apichain/apiserver-options';
import { createLogger } from '@apichain/request';
import { delegationFlags } from './flags.ts';
import { RepeatedErrors } from './repeated-errors.ts';
import { ScriptedCore } from './scripted-core.fixture.ts';

export const flagsOf = (...argv: string[]): ParsedFlags => parseFlags(delegationFlags, argv);

/** What a test of delegation needs: a core API, the log, and a folder for files. */
export class DelegationTest {
  readonly core = new ScriptedCore();
  readonly log: string[] = [];
  readonly logger = createLogger('test', 0, { write: (line) => this.log.push(line) });
  readonly errors = new RepeatedErrors(this.logger);
  readonly directory = mkdtempSync(join(tmpdir(), 'apichain-delegation-'));

  /** Writes a file and returns its path. */
  fileWith(name: string, text: string): string {
    const path = join(this.directory, name);
    writeFileSync(path, text);
    return path;
  }

  close(): void {
    rmSync(this.directory, { recursive: true });
  }
}
