/**
 * Runs a kube-apiserver and the chain on one etcd, and compares what they store, read and do beside each other. See docs/compatibility.md.
 */
import { writeFileSync } from 'node:fs';
import { flags, needed, runCommand, UsageError } from '../command/command.ts';
import { compareBothWays } from './data/both-ways.ts';
import { compareCbor } from './data/cbor.ts';
import { compareEncrypted } from './data/encrypted.ts';
import type { Programs } from './data/cluster.ts';
import { Findings } from './data/findings.ts';
import { compareTogether } from './data/together.ts';
import { compareUndecodable } from './data/undecodable.ts';

const scenarios: Readonly<Record<string, (programs: Programs, findings: Findings) => Promise<void>>> = {
  'both-ways': compareBothWays,
  cbor: compareCbor,
  encrypted: compareEncrypted,
  undecodable: compareUndecodable,
  together: compareTogether,
};

const usage = `usage: node tools/compatibility/data.ts --kube-apiserver FILE [options]

  --kube-apiserver FILE  a kube-apiserver 1.36
  --etcd FILE            etcd (etcd)
  --services             the chain as three services (default: one process)
  --scenarios A,B        ${Object.keys(scenarios).join(', ')} (default: all)
  --report FILE          writes the table and all differences`;

const parse = flags({
  'kube-apiserver': { type: 'string' },
  etcd: { type: 'string', default: 'etcd' },
  services: { type: 'boolean', default: false },
  scenarios: { type: 'string', default: Object.keys(scenarios).join(',') },
  report: { type: 'string' },
});

async function run(values: ReturnType<typeof parse>): Promise<number> {
  const programs: Programs = {
    etcd: values.etcd,
    kubeApiserver: needed('kube-apiserver', values['kube-apiserver']),
    threeServices: values.services,
  };
  const findings = new Findings();
  for (const name of values.scenarios.split(',')) {
    const compare = scenarios[name];
    if (compare === undefined) throw new UsageError(`there is no scenario ${name}`);
    await compare(programs, findings);
  }
  const text = `${findings.table()}\n\n${findings.faults.join('\n\n')}\n`;
  if (values.report !== undefined) writeFileSync(values.report, text);
  console.log(text);
  return findings.faults.length === 0 ? 0 : 1;
}

await runCommand({ name: 'data', usage, parse, run });
