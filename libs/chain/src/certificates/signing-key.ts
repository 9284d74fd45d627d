import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { chownSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorMessage } from '@apichain/meta';
import { StartupError } from '../startup-error.ts';
import { writeWholeFile } from '../whole-file.ts';

/** The files of the key pair that signs and verifies service account tokens, named as by kubeadm. */
const signingKeyFiles = (directory: string): { readonly key: string; readonly publicKey: string } => ({
  key: join(directory, 'sa.key'),
  publicKey: join(directory, 'sa.pub'),
});

/**
 * Creates the key pair of service account tokens unless it exists: a new pair would invalidate every token. Throws StartupError when the key exists
 * but cannot be used.
 */
export function ensureSigningKey(directory: string, owner?: { readonly uid: number; readonly gid: number }): void {
  const files = signingKeyFiles(directory);
  if (existsSync(files.key) && existsSync(files.publicKey)) return;
  if (!existsSync(files.key)) {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
    writeWholeFile(files.key, privateKey.export({ type: 'pkcs8', format: 'pem' }), 0o600);
  }
  writeWholeFile(files.publicKey, publicKeyOf(files.key), 0o644);
  if (owner !== undefined) for (const file of Object.values(files)) chownSync(file, owner.uid, owner.gid);
}

function publicKeyOf(file: string): string | Buffer {
  try {
    return createPublicKey(readFileSync(file, 'utf8')).export({ type: 'spki', format: 'pem' });
  } catch (error) {
    throw new StartupError(`${file} cannot be used (${errorMessage(error)}): remove it to have it made anew`);
  }
}

/** The flags with which a service signs and verifies service account tokens. */
export function signingKeyFlags(directory: string): readonly string[] {
  const files = signingKeyFiles(directory);
  return [`--service-account-key-file=${files.publicKey}`, `--service-account-signing-key-file=${files.key}`];
}
