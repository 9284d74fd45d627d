import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { flagsAndArguments, runCommand } from '../command/command.ts';
import { compareTexts, type Recorded } from '../comparison/compare.ts';
import { corePlatforms, type CorePlatform } from './extension-server/platform.ts';
import { runSession } from './extension-server/session.ts';

const usage = `usage: node tools/compatibility/extension-server.ts KUBE_APISERVER ETCD [DIRECTORY]

Runs the sample API server and the metrics example behind a kube-apiserver and behind the chain, and compares what kubectl prints.
The transcripts are written to DIRECTORY (default: a temporary one, which is removed). The exit code is 1 if they differ.`;

const parse = flagsAndArguments(2, {});

async function run({
  arguments: [kubeApiServer = '', etcd = '', directory],
}: ReturnType<typeof parse>): Promise<number> {
  const root = directory ?? mkdtempSync(join(tmpdir(), 'apichain-extension-server-'));
  try {
    const [reference, ...others] = corePlatforms(root, kubeApiServer, etcd);
    const expected = await transcriptOf(reference);
    let differences = 0;
    for (const platform of others) differences += compareTexts(expected, await transcriptOf(platform));
    return differences === 0 ? 0 : 1;
  } finally {
    if (directory === undefined) rmSync(root, { recursive: true, force: true });
  }
}

async function transcriptOf(platform: CorePlatform): Promise<Recorded> {
  const { texts } = await platform.use(runSession);
  const transcript = [...texts].map(([step, text]) => `=== ${step}\n${text}\n`);
  writeFileSync(join(platform.directory, 'transcript.txt'), transcript.join('\n'));
  return { name: platform.name, texts };
}

await runCommand({ name: 'extension-server', usage, parse, run });
