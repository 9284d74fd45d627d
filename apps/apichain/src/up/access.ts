import { joinHostPort } from '@apichain/go-text';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensurePki, kubeconfig, simulationHosts, writeWholeFile } from '@apichain/chain/setup';
import type { DataDirectory } from './data-directory.ts';
import type { UpOptions } from './options.ts';

/** Creates the missing certificates of the chain. In one process only the aggregator has a port, and so a certificate. */
export async function ensureCertificates(directory: DataDirectory, options: UpOptions): Promise<void> {
  await ensurePki({
    directory: directory.pki,
    hosts: [options.bindAddress, ...(options.simulation === undefined ? [] : simulationHosts)],
    clusterAddress: firstAddress(options.serviceClusterIpRange),
    ...(options.inProcess ? { services: ['aggregator'] } : {}),
  });
}

/** Writes the administrator's kubeconfig, readable by this user only. */
export function writeKubeconfig(
  directory: Pick<DataDirectory, 'pki' | 'kubeconfig'>,
  options: Pick<UpOptions, 'bindAddress' | 'securePort' | 'serviceFlags'>,
): void {
  const text = kubeconfig({
    server: `https://${joinHostPort(reachable(options.bindAddress), options.securePort)}`,
    ca: serverAuthorities(directory, options.serviceFlags),
    cert: pem(directory, 'admin.crt'),
    key: pem(directory, 'admin.key'),
    user: 'kubernetes-admin',
  });
  writeWholeFile(directory.kubeconfig, text, 0o600);
}

/**
 * The certificates with which clients verify the API server, PEM: the chain's authority, or the file of --tls-cert-file, with the authorities in
 * it, when the user gave one. The service itself reports a file that cannot be read.
 */
export function serverAuthorities(directory: Pick<DataDirectory, 'pki'>, flags: readonly string[]): string {
  const own = pem(directory, 'ca.crt');
  const file = flags.findLast((flag) => certificateFlag.test(flag))?.replace(certificateFlag, '') ?? '';
  try {
    return file === '' ? own : `${own.trimEnd()}\n${readFileSync(file, 'utf8')}`;
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) return own;
    throw error;
  }
}

const certificateFlag = /^--tls[-_]cert[-_]file=/;

export function pem(directory: Pick<DataDirectory, 'pki'>, file: string): string {
  return readFileSync(join(directory.pki, file), 'utf8');
}

/** The address at which this machine can reach a server bound to `address`. */
export function reachable(address: string): string {
  return address === '0.0.0.0' || address === '::' ? '127.0.0.1' : address;
}

/** The first usable address of the first range, which the `kubernetes` Service gets. */
function firstAddress(range: string): string {
  const [first = ''] = range.split(',');
  const [network = ''] = first.split('/');
  const bytes = network.split('.').map(Number);
  if (bytes.length !== 4) return network.replace(/::?$/, '::1');
  bytes[3] = (bytes[3] ?? 0) + 1;
  return bytes.join('.');
}
