import { spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import { hasErrorCode } from '@apichain/meta';
import type { Chain } from './chain.ts';

interface KubectlResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Whether `kubectl wait` came before a new object had conditions: it then fails instead of waiting, with any API server. */
export const waitedTooEarly = (output: string): boolean =>
  output.includes('.status.conditions accessor error: <nil> is of the type <nil>');

/** How often a command that waited too early is run again. */
export const mostRepeats = 100;

/** Runs kubectl against one chain, with the chain's kubeconfig and a separate discovery cache. */
export class Kubectl {
  readonly #chain: Pick<Chain, 'kubeconfig' | 'dataDirectory'>;
  constructor(chain: Pick<Chain, 'kubeconfig' | 'dataDirectory'>) {
    this.#chain = chain;
  }

  async run(args: readonly string[], input?: string): Promise<KubectlResult> {
    const child = spawn(
      'kubectl',
      [`--kubeconfig=${this.#chain.kubeconfig}`, `--cache-dir=${this.#chain.dataDirectory}/kubectl-cache`, ...args],
      { stdio: ['pipe', 'pipe', 'pipe'] },
    );
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString('utf8')));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString('utf8')));
    giveInput(child.stdin, input ?? '');
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    return { code, stdout, stderr };
  }

  /** Runs a command that must succeed. Returns its standard output. */
  async ok(args: readonly string[], input?: string): Promise<string> {
    let result = await this.run(args, input);
    for (let again = 0; again < mostRepeats && waitedTooEarly(result.stderr); again++)
      result = await this.run(args, input);
    if (result.code !== 0)
      throw new Error(`kubectl ${args.join(' ')}: exit ${result.code}\n${result.stdout}${result.stderr}`);
    return result.stdout;
  }

  /** Runs a command that must fail. Returns its standard error. */
  async fails(args: readonly string[], input?: string): Promise<string> {
    const result = await this.run(args, input);
    if (result.code === 0) throw new Error(`kubectl ${args.join(' ')} succeeded:\n${result.stdout}`);
    return result.stderr;
  }
}

/** Gives a program its whole input. One that ends before it has read it, or never reads, is no error: its exit code tells how it went. */
export function giveInput(stdin: Writable, input: string): void {
  stdin.on('error', (error) => {
    if (!hasErrorCode(error, 'EPIPE')) throw error;
  });
  stdin.end(input);
}
