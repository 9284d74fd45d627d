import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCA, issueClient } from '@apichain/serving/certificates';

/** Writes the aggregator's client certificate and its authority. Returns the folder. */
export async function writeFrontProxy(dir: string): Promise<string> {
  const folder = join(dir, 'front-proxy');
  mkdirSync(folder);
  const ca = await createCA('front-proxy-ca');
  const client = await issueClient(ca, 'front-proxy-client');
  writeFileSync(join(folder, 'ca.crt'), ca.certificate);
  writeFileSync(join(folder, 'client.crt'), client.certificate);
  writeFileSync(join(folder, 'client.key'), client.key, { mode: 0o600 });
  return folder;
}
