import { heapFlags, mallocEnvironment, oneProcessHeapFlag, smallHeapFlags } from './heap.ts';
import { joinHostPort } from '@apichain/go-text';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ServiceName } from '@apichain/chain/setup';
import { certificateFlags, compileCacheEnvironment, signingKeyFlags } from '@apichain/chain/setup';
import { auditsToStandardOutput, debugSocketFlags } from './first-service.ts';
import type { DataDirectory } from './data-directory.ts';
import { repeatedProbe } from '../probe.ts';
import { pem, reachable, serverAuthorities } from './access.ts';
import { probeTimeoutMs, type LivenessProbe } from '@apichain/workers';
import { programOf } from './program.ts';
import { flagsForFirst, flagsForServices, type UpOptions } from './options.ts';
import { flagsForKubelets, type SimulateOptions } from './simulate-options.ts';
import { type ProcessSpec, SupervisedProcess } from './supervisor.ts';

interface ServiceOptions {
  readonly name: ServiceName;
  readonly bindAddress: string;
  readonly port: number;
  readonly etcdServers: string;
  /** The socket for requests from the previous service. Undefined for the first service. */
  readonly socket?: string;
  /** The socket of the next service. Undefined for the last service. */
  readonly nextSocket?: string;
  readonly flags: readonly string[];
  /** Called with each line of the log. */
  readonly onLine?: (line: string) => unknown;
}

/** Starts one service of the chain as a separate process, with the certificates of the data directory. */
export function startService(
  directory: DataDirectory,
  options: ServiceOptions,
  onRestart: (text: string) => void,
): SupervisedProcess {
  const pki = (file: string) => join(directory.pki, file);
  const args = [
    ...heapFlags(options.name),
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
    ...debugSocketFlags(directory, options.name, options.flags),
    ...options.flags,
  ];
  const probe = livenessProbe(directory, options);
  return startNode(directory, options.name, args, onRestart, {
    passesOutput: auditsToStandardOutput(options.flags),
    probe,
    onLine: options.onLine,
  });
}

/** The flags of a chain in one process, without those of its first server alone. */
export const flagsForChain = (directory: DataDirectory, options: UpOptions, etcdServers: string): readonly string[] => [
  `--bind-address=${options.bindAddress}`,
  `--secure-port=${options.securePort}`,
  `--etcd-servers=${etcdServers}`,
  ...certificateFlags(directory.pki),
  ...flagsForKubelets(options, directory.pki),
  // Only the first server has a port, so it has the socket.
  ...debugSocketFlags(directory, 'aggregator', options.serviceFlags),
  ...flagsForServices(options),
];

/** Starts the three servers as one service, which several processes may serve together. */
export function startWholeChain(
  directory: DataDirectory,
  options: UpOptions,
  etcdServers: string,
  onRestart: (text: string) => void,
  onLine: ProcessSpec['onLine'],
): SupervisedProcess {
  const flags = [...flagsForChain(directory, options, etcdServers), ...flagsForFirst(options)];
  const { bindAddress, securePort: port } = options;
  return startNode(directory, 'chain', [oneProcessHeapFlag, programOf('chain'), ...flags], onRestart, {
    passesOutput: auditsToStandardOutput(flags),
    probe: livenessProbe(directory, { bindAddress, port, flags }),
    onLine,
  });
}

/**
 * Probes only the service itself. Its other health checks cover its dependencies and the services behind it, which a restart of this
 * service would not repair. The probe authenticates as the administrator, because anonymous requests may be disabled
 * (--anonymous-auth=false).
 */
function livenessProbe(
  directory: DataDirectory,
  { bindAddress, port, flags }: Pick<ServiceOptions, 'bindAddress' | 'port' | 'flags'>,
): LivenessProbe {
  let probe: LivenessProbe | undefined;
  return () => {
    probe ??= repeatedProbe({
      url: `https://${joinHostPort(reachable(bindAddress), port)}/livez/ping`,
      ca: serverAuthorities(directory, flags),
      cert: pem(directory, 'admin.crt'),
      key: pem(directory, 'admin.key'),
      timeoutMs: probeTimeoutMs,
      keepAlive: true,
    });
    return probe();
  };
}

/** Starts the controllers as a separate process. There is one replica, so leader election is off. */
export function startControllers(
  directory: DataDirectory,
  kubeconfig: string,
  { controllers, controllerFlags }: Pick<UpOptions, 'controllers' | 'controllerFlags'>,
  onRestart: (text: string) => void,
): SupervisedProcess {
  const signs = controllers.includes('certificatesigningrequest-signing-controller');
  const args = [
    ...smallHeapFlags,
    programOf('controllers'),
    `--kubeconfig=${kubeconfig}`,
    `--controllers=${controllers.join(',')}`,
    ...Object.entries(controllerFlags).map(([name, value]) => `--${name}=${value}`),
    '--leader-elect=false',
    ...(signs ? [`--cluster-signing-cert-file=${join(directory.pki, 'ca.crt')}`] : []),
    ...(signs ? [`--cluster-signing-key-file=${join(directory.pki, 'ca.key')}`] : []),
  ];
  return startNode(directory, 'controllers', args, onRestart);
}

/** Starts the simulation as a separate process. It tells when the nodes are registered. There is one replica, so leader election is off. */
export function startSimulation(
  directory: DataDirectory,
  options: { readonly kubeconfig: string; readonly simulation: SimulateOptions; readonly onReady: () => void },
  onRestart: (text: string) => void,
): SupervisedProcess {
  const { onReady } = options;
  const { nodes, stages, scheduler } = options.simulation;
  const pki = (file: string) => join(directory.pki, file);
  const args = [
    programOf('simulation'),
    `--kubeconfig=${options.kubeconfig}`,
    `--nodes=${nodes}`,
    ...stages.map((file) => `--stages=${file}`),
    `--scheduler=${scheduler}`,
    '--leader-elect=false',
    `--tls-cert-file=${pki('aggregator.crt')}`,
    `--tls-private-key-file=${pki('aggregator.key')}`,
    `--client-ca-file=${pki('ca.crt')}`,
    `--requestheader-client-ca-file=${pki('front-proxy-ca.crt')}`,
  ];
  const onMessage = (message: unknown) => {
    if (message === 'ready') onReady();
  };
  return startNode(directory, 'simulation', args, onRestart, { onMessage });
}

function startNode(
  directory: DataDirectory,
  name: string,
  args: readonly string[],
  onRestart: (text: string) => void,
  more: Pick<ProcessSpec, 'passesOutput' | 'probe' | 'onLine' | 'onMessage'> = {},
): SupervisedProcess {
  return new SupervisedProcess(
    {
      name,
      command: process.execPath,
      args: [...args],
      logFile: join(directory.logs, `${name}.log`),
      env: { ...mallocEnvironment, ...compileCacheEnvironment() },
      channel: true,
      ...more,
    },
    onRestart,
  );
}
