import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCA, issueClient } from '@apichain/serving/certificates';

/**
 * Writes what API servers of the tools need to know their clients: `tokens.csv` with a token of system:masters and more lines
 * (`TOKEN,USER,UID,"GROUPS"`), and `sa.key` and `sa.pub`, which sign tokens of ServiceAccounts.
 */
export function writeCredentials(dir: string, token: string, more: readonly string[] = []): void {
  const lines = [`${token},admin,admin,"system:masters"`, ...more];
  writeFileSync(join(dir, 'tokens.csv'), `${lines.join('\n')}\n`, { mode: 0o600 });
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  writeFileSync(join(dir, 'sa.key'), privateKey.export({ type: 'pkcs1', format: 'pem' }), { mode: 0o600 });
  writeFileSync(join(dir, 'sa.pub'), publicKey.export({ type: 'spki', format: 'pem' }));
}

/** Writes the aggregator's client certificate and its authority to a new folder. */
export async function writeFrontProxy(folder: string): Promise<void> {
  mkdirSync(folder);
  const ca = await createCA('front-proxy-ca');
  const client = await issueClient(ca, 'front-proxy-client');
  writeFileSync(join(folder, 'ca.crt'), ca.certificate);
  writeFileSync(join(folder, 'client.crt'), client.certificate);
  writeFileSync(join(folder, 'client.key'), client.key, { mode: 0o600 });
}

/** A kubeconfig for a user with a token. */
export const kubeconfigOf = (user: string, server: string, token: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': user,
    clusters: [{ name: 'server', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: user, user: { token } }],
    contexts: [{ name: user, context: { cluster: 'server', user } }],
  });
