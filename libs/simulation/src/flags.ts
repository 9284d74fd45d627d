import { parseArgs } from 'node:util';
import type { BindAddress } from '@apichain/client';
import { booleanValue, healthAddressValue, textFlag, withBooleanValues } from '@apichain/controllers';

/** The command line of the simulation as a service of its own. */
export interface SimulationFlags {
  readonly help: boolean;
  readonly kubeconfig: string;
  readonly nodes: number | 'none';
  readonly stages: readonly string[];
  readonly scheduler: boolean;
  readonly leaderElect: boolean;
  /** Undefined means no health checks. */
  readonly healthAddress?: BindAddress;
  /** The file with the authority of the aggregator. Undefined: no metrics. */
  readonly requestHeaderCaFile?: string;
  /** The address that nodes have, and on which kubelets listen. Undefined: they do not listen. */
  readonly kubelet?: {
    readonly address: string;
    readonly certFile: string;
    readonly keyFile: string;
    readonly clientCaFile: string;
  };
}

/** The output of `simulation --help`. */
export const helpText = `simulation simulates nodes that run pods without containers, and schedules pods.

  --kubeconfig FILE                  how to reach the API server, as an administrator (required)
  --nodes N                          how many nodes, and those that users create with the label of simulated nodes; \`none\`: neither (3)
  --stages FILE                      further stages of simulated objects, in YAML; may be repeated
  --scheduler[=false]                whether pods are scheduled here (true)
  --leader-elect[=false]             only one of several is active: the scheduler with the Lease kube-scheduler, the nodes with simulated-nodes (true)
  --kubelet-address ADDRESS          the address of the nodes, on which their kubelets serve logs and streams (127.0.0.1)
  --tls-cert-file FILE               certificate of the kubelets; without it they do not listen
  --tls-private-key-file FILE        its key
  --requestheader-client-ca-file FILE  who has issued the certificate of the aggregator; with it metrics.k8s.io is served (kubectl top)
  --health-probe-bind-address ADDRESS:PORT  serves /healthz and /readyz over HTTP (none)
  --client-ca-file FILE              who has issued the certificate with which the API server comes to kubelets
`;

const definitions = {
  help: { type: 'boolean', short: 'h', default: false },
  kubeconfig: textFlag(''),
  nodes: textFlag('3'),
  stages: { type: 'string', multiple: true, default: [] as string[] },
  scheduler: textFlag('true'),
  'leader-elect': textFlag('true'),
  'kubelet-address': textFlag('127.0.0.1'),
  'tls-cert-file': textFlag(''),
  'tls-private-key-file': textFlag(''),
  'client-ca-file': textFlag(''),
  'health-probe-bind-address': textFlag(''),
  'requestheader-client-ca-file': textFlag(''),
} as const;

const switches = ['--scheduler', '--leader-elect'];
const mostNodes = 10_000;

/** Parses the command line. Throws Error with a one-line message for an unknown flag or a bad value. */
export function parseSimulationFlags(args: readonly string[]): SimulationFlags {
  const { values } = parseArgs({
    args: withBooleanValues(args, switches),
    options: definitions,
  });
  const { help, kubeconfig, stages } = values;
  if (!help && kubeconfig === '') throw new Error('--kubeconfig is required');
  const nodes = nodesOf(values.nodes);
  const scheduler = booleanValue('scheduler', values.scheduler);
  if (!help && nodes === 'none' && !scheduler)
    throw new Error('--nodes=none and --scheduler=false leave nothing to do');
  const certFile = values['tls-cert-file'];
  const keyFile = values['tls-private-key-file'];
  const clientCaFile = values['client-ca-file'];
  const given = [certFile, keyFile, clientCaFile].filter((file) => file !== '').length;
  const requestHeaderCaFile = values['requestheader-client-ca-file'];
  if (requestHeaderCaFile !== '' && given === 0)
    throw new Error(
      '--requestheader-client-ca-file needs --tls-cert-file, --tls-private-key-file and --client-ca-file',
    );
  if (given !== 0 && given !== 3)
    throw new Error('--tls-cert-file, --tls-private-key-file and --client-ca-file belong together');
  return {
    help,
    kubeconfig,
    nodes,
    stages,
    scheduler,
    ...(requestHeaderCaFile === '' ? {} : { requestHeaderCaFile }),
    healthAddress: healthAddressValue(values['health-probe-bind-address']),
    leaderElect: booleanValue('leader-elect', values['leader-elect']),
    ...(given === 0 ? {} : { kubelet: { address: values['kubelet-address'], certFile, keyFile, clientCaFile } }),
  };
}

function nodesOf(text: string): number | 'none' {
  if (text === 'none') return text;
  const nodes = Number(text);
  if (text === '' || !Number.isInteger(nodes) || nodes < 0 || nodes > mostNodes)
    throw new Error(`--nodes: ${JSON.stringify(text)} is not a number of nodes (0-${mostNodes}), or none`);
  return nodes;
}
