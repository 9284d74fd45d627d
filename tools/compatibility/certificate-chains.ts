/**
 * Presents the chains of a table (libs/x509/src/chains) as client certificates and as certificates of front proxies to a kube-apiserver, to the three
 * services and to the chain in one process, over TLS 1.2 and 1.3, HTTP/1.1 and HTTP/2, and compares who is accepted with what the table says:
 *
 *   node tools/compatibility/certificate-chains.ts KUBE_APISERVER ETCD
 *
 * The exit code is 1 if anything differs.
 */
import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensurePki } from '@apichain/chain/setup';
import { errorMessage } from '@apichain/meta';
import { ChainTable } from '@apichain/x509/chains.fixture';
import { forms, present, type Form } from './certificate-chains/present.ts';
import { chainPlatform, kubeApiServerPlatform, type CorePlatform } from './extension-server/platform.ts';

const proxied = { 'X-Remote-User': 'of-a-front-proxy', 'X-Remote-Group': 'system:masters' };

async function main([kubeApiServer, etcd]: readonly string[]): Promise<number> {
  if (kubeApiServer === undefined || etcd === undefined) {
    console.error('usage: node tools/compatibility/certificate-chains.ts KUBE_APISERVER ETCD');
    return 2;
  }
  const root = mkdtempSync(join(tmpdir(), 'apichain-certificate-chains-'));
  try {
    const clients = new ChainTable('client', 'jane');
    const frontProxies = new ChainTable('front-proxy', 'front-proxy-client');
    const dataOf = (name: string): string => join(root, name, 'data');
    const platforms: readonly (readonly [CorePlatform, string])[] = [
      [kubeApiServerPlatform(join(root, 'kube-apiserver'), kubeApiServer, etcd), join(root, 'kube-apiserver', 'pki')],
      [chainPlatform(join(root, 'services'), []), join(dataOf('services'), 'pki')],
      [chainPlatform(join(root, 'in-process'), ['--in-process']), join(dataOf('in-process'), 'pki')],
    ];
    let differences = 0;
    for (const [platform, pki] of platforms) {
      await trust(pki, clients, frontProxies);
      differences += await compare(platform, clients, frontProxies);
    }
    return differences === 0 ? 0 : 1;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Makes the certificates of a platform, and adds the authorities of the table to those that it trusts. */
async function trust(pki: string, clients: ChainTable, frontProxies: ChainTable): Promise<void> {
  mkdirSync(pki, { recursive: true });
  await ensurePki({ directory: pki, hosts: [], services: ['aggregator', 'kube-core', 'apiextensions'] });
  appendFileSync(join(pki, 'ca.crt'), clients.bundle);
  appendFileSync(join(pki, 'front-proxy-ca.crt'), frontProxies.bundle);
}

async function compare(platform: CorePlatform, clients: ChainTable, frontProxies: ChainTable): Promise<number> {
  try {
    await platform.start();
    let [chains, differences] = [0, 0];
    const check = async (table: ChainTable, role: string, headers: Readonly<Record<string, string>>, form: Form) => {
      for (const chain of table.chains) {
        const answer = await present(platform.url, chain, headers, form);
        const isAccepted =
          role === 'client' ? answer.groups.includes('system:masters') : answer.user === 'of-a-front-proxy';
        chains += 1;
        if (isAccepted === chain.row.isAccepted) continue;
        differences += 1;
        console.log(`${platform.name}, ${role}, ${form}: ${chain.row.name}: ${answer.text}`);
      }
    };
    for (const form of forms) {
      await check(clients, 'client', {}, form);
      await check(frontProxies, 'front proxy', proxied, form);
    }
    console.log(`${platform.name}: ${chains} presented, ${differences} not as in the table`);
    return differences;
  } finally {
    await platform.stop();
  }
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(errorMessage(error));
  process.exitCode = 2;
}
