import { joinHostPort } from '@apichain/go-text';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ControllerName } from '@apichain/controllers/selection';
import type { ServiceName } from '@apichain/chain';
import { signingKeyFlags } from '@apichain/chain';
import { auditsToStandardOutput } from './audit-flags.ts';
import { compileCacheEnvironment } from '../compile-cache.ts';
import type { DataDirectory } from './data-directory.ts';
import { repeatedProbe } from '../probe.ts';
import { pem, reachable } from './access.ts';
import { probeTimeoutMs, type LivenessProbe } from './liveness.ts';
import { programOf } from './program.ts';
import { SupervisedProcess } from './supervisor.ts';

export interface ServiceOptions {
  readonly name: ServiceName;
  readonly bindAddress: string;
  readonly port: number;
  readonly etcdServers: string;
  /** Where the service serves the one before it; undefined for the first one. */
  readonly socket?: string;
  /** That of the next service; undefined for the last one. */
  readonly nextSocket?: string;
  readonly flags: readonly string[];
}

/**
 * The semi-space in which V8 puts new objects, in MiB. Smaller ones keep an idle chain 50 MiB smaller;
 * kube-core, which makes most objects, has the largest, so that collecting them does not cost throughput.
 */
const semiSpaceMiB: Readonly<Record<ServiceName, number>> = { aggregator: 8, 'kube-core': 16, apiextensions: 4 };

/**
 * Buffers count for V8's limit of the whole heap, which grows with what is alive. Otherwise every 32 MB of them bring a collection of everything,
 * one for two LISTs of 5,000 pods: without it the aggregator needs 1.2 to 2 times the processor time for a LIST, and kube-core 3 times for
 * passing on one of custom resources. Measured on Node 24; another one may not know the flag, and then would not start.
 */
const buffersInHeapLimit = process.versions.node.startsWith('24.')
  ? ['--external-memory-accounted-in-global-limit']
  : [];

/** Starts one service of the chain as a process of its own, on the certificates of the data directory. */
export function startService(
  directory: DataDirectory,
  options: ServiceOptions,
  onRestart: (text: string) => void,
): SupervisedProcess {
  const pki = (file: string) => join(directory.pki, file);
  const args = [
    // Of this size from the start: growing it step by step costs a start a tenth of its time.
    `--min-semi-space-size=${semiSpaceMiB[options.name]}`,
    `--max-semi-space-size=${semiSpaceMiB[options.name]}`,
    ...buffersInHeapLimit,
    programOf(options.name),
    `--bind-address=${options.bindAddress}`,
    `--secure-port=${options.port}`,
    `--etcd-servers=${options.etcdServers}`,
    `--tls-cert-file=${pki(`${options.name}.crt`)}`,
    `--tls-private-key-file=${pki(`${options.name}.key`)}`,
    `--client-ca-file=${pki('ca.crt')}`,
    `--requestheader-client-ca-file=${pki('front-proxy-ca.crt')}`,
    '--requestheader-allowed-names=front-proxy-client',
    ...signingKeyFlags(directory.pki),
    ...(options.socket === undefined ? [] : [`--front-proxy-socket=${options.socket}`]),
    ...(options.nextSocket === undefined
      ? []
      : [
          `--delegate-url=${pathToFileURL(options.nextSocket).href.replace(/^file:/, 'unix:')}`,
          `--proxy-client-cert-file=${pki('front-proxy-client.crt')}`,
          `--proxy-client-key-file=${pki('front-proxy-client.key')}`,
        ]),
    ...options.flags,
  ];
  const probe = livenessProbe(directory, options);
  return startNode(directory, options.name, args, onRestart, {
    passesOutput: auditsToStandardOutput(options.flags),
    probe,
  });
}

/**
 * Whether the service itself answers: its other checks are about what it depends on, and about the services behind it, which no restart of
 * this one would mend. As the administrator, because not everybody may ask (--anonymous-auth=false).
 */
function livenessProbe(directory: DataDirectory, { bindAddress, port }: ServiceOptions): LivenessProbe {
  let probe: LivenessProbe | undefined;
  return () => {
    probe ??= repeatedProbe({
      url: `https://${joinHostPort(reachable(bindAddress), port)}/livez/ping`,
      ca: pem(directory, 'ca.crt'),
      cert: pem(directory, 'admin.crt'),
      key: pem(directory, 'admin.key'),
      timeoutMs: probeTimeoutMs,
      keepAlive: true,
    });
    return probe();
  };
}

/** Starts the controllers as a process of its own. They are alone, so nothing has to be elected. */
export function startControllers(
  directory: DataDirectory,
  options: { readonly kubeconfig: string; readonly controllers: readonly ControllerName[] },
  onRestart: (text: string) => void,
): SupervisedProcess {
  const args = [
    ...smallHeap,
    programOf('controllers'),
    `--kubeconfig=${options.kubeconfig}`,
    `--controllers=${options.controllers.join(',')}`,
    '--leader-elect=false',
  ];
  return startNode(directory, 'controllers', args, onRestart);
}

/** They are seldom busy, and their work is small: collecting garbage more often costs less than the memory it would take. */
const smallHeap = ['--max-semi-space-size=2', '--optimize-for-size'];

/**
 * One heap for all threads, unless the user says otherwise: glibc gives threads heaps of their own, in which what buffers leave free is of
 * no use to anybody (100 MiB in a busy service).
 */
const leanMalloc = process.env['MALLOC_ARENA_MAX'] === undefined ? { MALLOC_ARENA_MAX: '1' } : {};

function startNode(
  directory: DataDirectory,
  name: string,
  args: readonly string[],
  onRestart: (text: string) => void,
  more: { readonly passesOutput?: boolean; readonly probe?: LivenessProbe } = {},
): SupervisedProcess {
  return new SupervisedProcess(
    {
      name,
      command: process.execPath,
      args: [...args],
      logFile: join(directory.logs, `${name}.log`),
      env: { ...leanMalloc, ...compileCacheEnvironment() },
      channel: true,
      ...more,
    },
    onRestart,
  );
}
