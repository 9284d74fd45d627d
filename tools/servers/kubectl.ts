import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasErrorCode } from '@apichain/meta';
import { kubeconfigOf } from './credentials.ts';

const timeoutMs = 180_000;

/** kubectl as the user of a kubeconfig, `USER.kubeconfig`. Its cache is beside that file. */
export class Kubectl {
  readonly kubeconfig: string;

  constructor(kubeconfig: string) {
    this.kubeconfig = kubeconfig;
  }

  /** Writes the kubeconfig of a user with a token to the folder. */
  static withToken(dir: string, user: string, server: string, token: string): Kubectl {
    const file = join(dir, `${user}.kubeconfig`);
    writeFileSync(file, kubeconfigOf(user, server, token), { mode: 0o600 });
    return new Kubectl(file);
  }

  /** The exit code, when it is not 0, comes first in the text that is returned; then the output and what went to stderr. */
  async run(args: readonly string[], input = ''): Promise<string> {
    const child = this.#spawn(args, timeoutMs);
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    // A command that ends before it has read its input is no error: its exit code tells how it went.
    child.stdin.on('error', (error) => {
      if (!hasErrorCode(error, 'EPIPE')) throw error;
    });
    child.stdin.end(input);
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    return `${code === 0 ? '' : `exit ${code}\n`}${stdout}${stderr}`;
  }

  /** The output. Throws Error when the exit code is not 0. */
  async output(args: readonly string[], input = ''): Promise<string> {
    const text = await this.run(args, input);
    if (text.startsWith('exit ')) throw new Error(`kubectl ${args.join(' ')}: ${text}`);
    return text;
  }

  /** Runs a command that does not end, such as `get --watch`, while `during` does something, and a second after. Returns what it wrote. */
  async watched(args: readonly string[], during: () => Promise<void>): Promise<string> {
    const child = this.#spawn(args);
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const pause = () => new Promise((resolve) => setTimeout(resolve, 1_500));
    await pause();
    await during();
    await pause();
    const closed = new Promise((resolve) => child.once('close', resolve));
    child.kill();
    await closed;
    return output;
  }

  #spawn(args: readonly string[], timeout?: number) {
    const flags = [`--kubeconfig=${this.kubeconfig}`, `--cache-dir=${this.kubeconfig.replace(/kubeconfig$/, 'cache')}`];
    return spawn('kubectl', [...flags, ...args], { stdio: 'pipe', timeout });
  }
}
