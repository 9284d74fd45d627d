/**
 * Starts the chain for one Go test: `node chain.ts [--in-process] FLAGS of kube-apiserver`. The data directory is in the folder that the
 * environment variable SUITE_DIR names.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensurePki } from '@apichain/chain/setup';

const folder = process.env['SUITE_DIR'];
if (folder === undefined) throw new Error('SUITE_DIR must name a folder');
const directory = join(folder, 'apichain');
const pki = join(directory, 'pki');
const flags = process.argv.slice(2);

await ensurePki({ directory: pki, hosts: ['127.0.0.1'], clusterAddress: '10.0.0.1' });
// A test replaces the server's certificate and the authorities of clients. `apichain up` probes its services with certificates of its own.
const valueOf = (name: string) => flags.findLast((flag) => flag.startsWith(`--${name}=`))?.slice(name.length + 3);
const authority = join(pki, 'ca.crt');
const ownAuthority = readFileSync(authority);
const clientCa = valueOf('client-ca-file');
if (clientCa !== undefined) appendFileSync(clientCa, ownAuthority);
const certificate = valueOf('tls-cert-file');
if (certificate !== undefined) appendFileSync(authority, readFileSync(certificate));

// Only kube-apiserver's own tasks: its controllers are a program of their own there.
process.argv.splice(2, flags.length, 'up', `--data-dir=${directory}`, '--controllers=-*', ...flags);
await import(pathToFileURL(join(import.meta.dirname, '../../../apps/apichain/src/main.ts')).href);
