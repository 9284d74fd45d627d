import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensurePki } from '@apichain/chain/setup';
import { flagsAndArguments, runCommand } from '../command/command.ts';
import { ChainTable, type ClientChain } from '@apichain/x509/chains.fixture';
import { forms, present, type Form } from '@apichain/x509/present.fixture';
import { corePlatforms, type CorePlatform } from './extension-server/platform.ts';

const usage = `usage: node tools/compatibility/certificate-chains.ts KUBE_APISERVER ETCD

Presents the chains of a table (libs/x509/src/chains) as client certificates and as certificates of front proxies to a kube-apiserver, to the three
services and to the chain in one process, over TLS 1.2 and 1.3, HTTP/1.1 and HTTP/2, and compares who is accepted with what the table says.
The exit code is 1 if anything differs.`;

const proxyUser = 'front-proxy-client';
const proxied = { 'x-remote-user': 'of-a-front-proxy', 'x-remote-group': 'system:masters' };

const review = {
  method: 'POST',
  path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
  body: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }),
};

const parse = flagsAndArguments(2, {});

async function run({ arguments: [kubeApiServer = '', etcd = ''] }: ReturnType<typeof parse>): Promise<number> {
  const root = mkdtempSync(join(tmpdir(), 'apichain-certificate-chains-'));
  try {
    const clients = new ChainTable('client', 'jane');
    const frontProxies = new ChainTable('front-proxy', proxyUser);
    let differences = 0;
    for (const platform of corePlatforms(root, kubeApiServer, etcd)) {
      await trust(platform.pki, clients, frontProxies);
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
  let [chains, differences] = [0, 0];
  const check = async (table: ChainTable, user: string, headers: Readonly<Record<string, string>>, form: Form) => {
    for (const chain of table.chains) {
      const found = await userOf(platform.url, chain, headers, form);
      chains += 1;
      if ((found === user) === chain.row.isAccepted && (found === user || found === 'refused')) continue;
      differences += 1;
      console.log(`${platform.name}, ${form}, as ${user}: ${chain.row.name}: ${found}`);
    }
  };
  await platform.use(async () => {
    for (const form of forms) {
      await check(clients, 'jane', {}, form);
      await check(frontProxies, 'of-a-front-proxy', proxied, form);
    }
  });
  console.log(`${platform.name}: ${chains} presented, ${differences} not as in the table`);
  return differences;
}

/** The user for whom a server takes the client; `refused` for 401, and when the server ends the handshake because of the certificates. */
async function userOf(
  url: string,
  chain: ClientChain,
  headers: Readonly<Record<string, string>>,
  form: Form,
): Promise<string> {
  const json = { 'content-type': 'application/json', accept: 'application/json' };
  const { status, body } = await present(url, chain, { form, ...review, headers: { ...json, ...headers } });
  if (status === 401 || (status === 0 && /alert (decode error|bad certificate|unsupported certificate)/.test(body)))
    return 'refused';
  if (status !== 201) return `${status} ${body}`;
  const reviewed = JSON.parse(body) as { status: { userInfo: { username: string } } };
  return reviewed.status.userInfo.username;
}

await runCommand({ name: 'certificate-chains', usage, parse, run });
