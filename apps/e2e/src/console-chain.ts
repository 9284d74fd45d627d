import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BrowserPage } from './browser.ts';
import { apichain, succeeds } from './command-line.ts';

/** The data directory of a chain with a console, and the browser that looks at it. The test starts the chain with `apichain up`. */
export class ConsoleChain {
  readonly root: string;
  /** The flag of commands for the chain. */
  readonly directory: readonly string[];
  #browser: BrowserPage | undefined;

  constructor(name: string) {
    this.root = mkdtempSync(join(tmpdir(), `apichain-${name}-`));
    this.directory = ['--data-dir', this.root];
  }

  /** Logs a browser in, with this URL or a new one. */
  async open(url?: string): Promise<BrowserPage> {
    const browser = await BrowserPage.open();
    this.#browser = browser;
    browser.page.setDefaultTimeout(30_000);
    await browser.page.goto(url ?? (await succeeds('console', ...this.directory)).trim());
    await browser.shows('h1', 'Overview');
    return browser;
  }

  /** Runs kubectl as the administrator and returns its output. `input` is its standard input. */
  kubectl(args: readonly string[], input?: string): string {
    const kubeconfig = join(this.root, 'admin.kubeconfig');
    return execFileSync('kubectl', ['--kubeconfig', kubeconfig, ...args], { input, encoding: 'utf8', stdio: 'pipe' });
  }

  /** The page shows everything that it has, and reported no error since the last call. */
  async assertSound(): Promise<void> {
    await this.#browser?.assertNothingCut();
    assert.deepEqual(this.#browser?.errors.splice(0), []);
  }

  /** Ends the browser and the chain. */
  async close(): Promise<void> {
    await this.#browser?.close();
    await apichain('down', ...this.directory);
    rmSync(this.root, { recursive: true, force: true });
  }
}
