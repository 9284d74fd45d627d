import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** kubectl as one user of one server. Its cache is in a folder of the run. */
export class Kubectl {
  readonly kubeconfig: string;
  readonly #cache: string;

  /** Writes a kubeconfig `USER.kubeconfig` to the folder. */
  constructor(dir: string, user: string, server: string, token: string) {
    this.kubeconfig = join(dir, `${user}.kubeconfig`);
    this.#cache = join(dir, `${user}.cache`);
    writeFileSync(this.kubeconfig, JSON.stringify(kubeconfigOf(user, server, token)), { mode: 0o600 });
  }

  get #flags(): string[] {
    return [`--kubeconfig=${this.kubeconfig}`, `--cache-dir=${this.#cache}`];
  }

  /** The exit code, when it is not 0, comes first in the text that is returned; then the output and what went to stderr. */
  async run(args: readonly string[], input = ''): Promise<string> {
    const child = spawn('kubectl', [...this.#flags, ...args], { stdio: 'pipe' });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
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
    const child = spawn('kubectl', [...this.#flags, ...args]);
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
}

function kubeconfigOf(name: string, server: string, token: string) {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [{ name: 'server', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: 'server', user: name } }],
  };
}
