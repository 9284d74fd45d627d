import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Chain, startChain } from './chain.ts';
import { requireShared } from './requirements.ts';

/** The share of recorded steps whose responses must match those of kube-apiserver 1.36. */
const areas: readonly { name: string; atLeast: number }[] = [
  { name: 'discovery', atLeast: 1 },
  { name: 'create-update-delete', atLeast: 0.98 },
  { name: 'patch', atLeast: 0.98 },
  { name: 'apply', atLeast: 0.98 },
  { name: 'errors', atLeast: 0.98 },
  // Table columns carry no descriptions: see docs/differences.md.
  { name: 'get-list-watch', atLeast: 0.88 },
];

describe('responses recorded from kube-apiserver 1.36', () => {
  let chain: Chain;
  let golden: string;
  let target: string;

  before(async function () {
    golden = join(requireShared(this), 'golden');
    chain = await startChain({
      args: [
        '--authorization-mode=RBAC',
        '--disable-admission-plugins=ServiceAccount',
        '--allow-privileged=true',
        '--service-cluster-ip-range=10.0.0.0/16',
        // The recorded server ran without a controller manager.
        '--controllers=-*',
      ],
    });
    target = join(chain.dataDirectory, 'target.json');
    const { ca, cert, key } = chain.admin;
    writeFileSync(target, JSON.stringify({ url: chain.url, ca, cert, key, insecure: true }));
  });
  after(() => chain?.stop());

  for (const { name, atLeast } of areas)
    it(`${name}: at least ${Math.round(atLeast * 100)}%`, async function () {
      this.timeout(480_000);
      const { output, passed, steps } = await replay(name);
      assert.ok(steps > 0 && passed / steps >= atLeast, `${passed} of ${steps} steps\n${output}`);
    });

  async function replay(area: string): Promise<{ output: string; passed: number; steps: number }> {
    const child = spawn(process.execPath, [join(golden, 'harness.mjs'), 'replay', target, area, '--show', '5'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
    await new Promise((resolve) => child.once('close', resolve));
    const [, passed, steps] = /^golden: (\d+)\/(\d+)/m.exec(output) ?? [];
    return { output, passed: Number(passed ?? 0), steps: Number(steps ?? 0) };
  }
});
