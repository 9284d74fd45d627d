/**
 * Runs the sample API server and the metrics example behind a kube-apiserver and behind the chain, and compares what kubectl prints:
 *
 *   node tools/compatibility/extension-server.ts KUBE_APISERVER ETCD [DIRECTORY]
 *
 * The transcripts are written to DIRECTORY (default: a temporary one, which is removed). The exit code is 1 if they differ.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorMessage } from '@apichain/meta';
import { chainPlatform, kubeApiServerPlatform, type CorePlatform } from './extension-server/platform.ts';
import { runSession } from './extension-server/session.ts';
import type { Transcript } from './extension-server/transcript.ts';

async function main([kubeApiServer, etcd, directory]: readonly string[]): Promise<number> {
  if (kubeApiServer === undefined || etcd === undefined) {
    console.error('usage: node tools/compatibility/extension-server.ts KUBE_APISERVER ETCD [DIRECTORY]');
    return 2;
  }
  const root = directory ?? mkdtempSync(join(tmpdir(), 'apichain-extension-server-'));
  try {
    const [reference, ...others] = [
      kubeApiServerPlatform(join(root, 'kube-apiserver'), kubeApiServer, etcd),
      chainPlatform(join(root, 'services'), []),
      chainPlatform(join(root, 'in-process'), ['--in-process']),
    ];
    const expected = await transcriptOf(reference);
    let differences = 0;
    for (const platform of others) differences += compare(expected, await transcriptOf(platform));
    return differences === 0 ? 0 : 1;
  } finally {
    if (directory === undefined) rmSync(root, { recursive: true, force: true });
  }
}

async function transcriptOf(platform: CorePlatform | undefined): Promise<Transcript> {
  if (platform === undefined) throw new Error('there is a platform');
  mkdirSync(platform.directory, { recursive: true });
  try {
    await platform.start();
    const transcript = await runSession(platform);
    const texts = [...transcript.texts].map(([step, text]) => `=== ${step}\n${text}\n`);
    writeFileSync(join(platform.directory, 'transcript.txt'), texts.join('\n'));
    return transcript;
  } finally {
    await platform.stop();
  }
}

function compare(expected: Transcript, actual: Transcript): number {
  let differences = 0;
  for (const step of new Set([...expected.texts.keys(), ...actual.texts.keys()])) {
    const [one = 'nothing', other = 'nothing'] = [expected.texts.get(step), actual.texts.get(step)];
    if (one === other) continue;
    differences += 1;
    console.log(`\n--- ${step}\n${expected.name}:\n${one}\n${actual.name}:\n${other}`);
  }
  console.log(`${actual.name}: ${actual.texts.size} steps compared with ${expected.name}, ${differences} differ`);
  return differences;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(errorMessage(error));
  process.exitCode = 2;
}
