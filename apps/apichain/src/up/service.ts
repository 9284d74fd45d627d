import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { ServiceName } from '../certificates/services.ts';
import { compileCacheEnvironment } from '../compile-cache.ts';
import type { DataDirectory } from './data-directory.ts';
import { SupervisedProcess } from './supervisor.ts';

export interface ServiceOptions {
  readonly name: ServiceName;
  readonly bindAddress: string;
  readonly port: number;
  readonly etcdServers: string;
  /** Port of the next service on loopback; undefined for the last one. */
  readonly nextPort?: number;
  readonly flags: readonly string[];
}

const require = createRequire(import.meta.url);

/** Starts one service of the chain as a process of its own, on the certificates of the data directory. */
export function startService(
  directory: DataDirectory,
  options: ServiceOptions,
  onRestart: (text: string) => void,
): SupervisedProcess {
  const pki = (file: string) => join(directory.pki, file);
  const args = [
    entryOf(options.name),
    `--bind-address=${options.bindAddress}`,
    `--secure-port=${options.port}`,
    `--etcd-servers=${options.etcdServers}`,
    `--tls-cert-file=${pki(`${options.name}.crt`)}`,
    `--tls-private-key-file=${pki(`${options.name}.key`)}`,
    `--client-ca-file=${pki('ca.crt')}`,
    `--requestheader-client-ca-file=${pki('front-proxy-ca.crt')}`,
    '--requestheader-allowed-names=front-proxy-client',
    ...(options.nextPort === undefined
      ? []
      : [
          `--delegate-url=https://127.0.0.1:${options.nextPort}`,
          `--delegate-ca-file=${pki('ca.crt')}`,
          `--proxy-client-cert-file=${pki('front-proxy-client.crt')}`,
          `--proxy-client-key-file=${pki('front-proxy-client.key')}`,
        ]),
    ...options.flags,
  ];
  return new SupervisedProcess(
    {
      name: options.name,
      command: process.execPath,
      args,
      logFile: join(directory.logs, `${options.name}.log`),
      env: compileCacheEnvironment(),
      channel: true,
    },
    onRestart,
  );
}

function entryOf(name: ServiceName): string {
  const manifest = require.resolve(`@apichain/${name}/package.json`);
  const entry = join(manifest, '../src/main.ts');
  return existsSync(entry) ? entry : join(manifest, '../main.js');
}
