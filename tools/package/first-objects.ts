/**
 * Starts a chain in memory and writes the initial objects of every cluster into FILE: see libs/server-core/src/bootstrap/first-objects.ts.
 *
 *   node tools/package/first-objects.ts FILE
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { certificateFlags, ensurePki, startInProcessChain } from '../../libs/chain/src/index.ts';
import { templatesOf } from '../../libs/server-core/src/index.ts';
import { createLogger } from '../../libs/request/src/index.ts';
import { startEmbeddedEtcd, type EmbeddedEtcd } from '../../libs/embedded-etcd/src/index.ts';

const prefix = '/registry';
const attemptMs = 20;
const maxAttempts = 500;

/** The contents of the store once every APIService is available. A normal start does not wait for that. */
async function settledContents(etcd: EmbeddedEtcd): Promise<(readonly [key: string, value: string])[]> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const contents = [...etcd.snapshot().keys.values()].map(
      ({ key, value }) => [key.toString().slice(prefix.length), value.toString()] as const,
    );
    const apiServices = contents.filter(([key]) => key.startsWith('/apiregistration.k8s.io/'));
    if (apiServices.every(([, value]) => value.includes('"type":"Available","status":"True"'))) return contents;
    await delay(attemptMs);
  }
  throw new Error('an APIService of the chain does not become available');
}

async function writeFirstObjectTemplates(file: string): Promise<void> {
  const temporary = mkdtempSync(join(tmpdir(), 'apichain-first-objects-'));
  const etcd = await startEmbeddedEtcd({ memory: true, inProcess: true });
  try {
    await ensurePki({ directory: temporary, hosts: [], services: ['aggregator'], inThisProcess: true });
    const failure = Promise.withResolvers<never>();
    const chain = await startInProcessChain({
      flags: [`--etcd-servers=${etcd.url}`, '--secure-port=0', ...certificateFlags(temporary)],
      logger: (service) => createLogger(service, 0, { write: () => undefined }),
      onFatal: failure.reject,
    });
    try {
      await Promise.race([chain.ready(), failure.promise]);
      const contents = await settledContents(etcd);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, JSON.stringify(templatesOf(contents)));
    } finally {
      await chain.stop();
    }
  } finally {
    await etcd.close();
    rmSync(temporary, { recursive: true, force: true });
  }
}

const [, , file] = process.argv;
if (file === undefined) throw new Error('usage: node tools/package/first-objects.ts FILE');
await writeFirstObjectTemplates(file);
