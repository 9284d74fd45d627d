import { join } from 'node:path';
import { signingKeyFlags } from './certificates/signing-key.ts';

/** The flags with which the servers of one process use the certificates that `ensurePki` has written to a directory. */
export function certificateFlags(pki: string): readonly string[] {
  const file = (name: string) => join(pki, name);
  return [
    `--tls-cert-file=${file('aggregator.crt')}`,
    `--tls-private-key-file=${file('aggregator.key')}`,
    `--client-ca-file=${file('ca.crt')}`,
    `--requestheader-client-ca-file=${file('front-proxy-ca.crt')}`,
    '--requestheader-allowed-names=front-proxy-client',
    `--proxy-client-cert-file=${file('front-proxy-client.crt')}`,
    `--proxy-client-key-file=${file('front-proxy-client.key')}`,
    ...signingKeyFlags(pki),
  ];
}

/** The hosts that the serving certificate of the first server must name when it simulates nodes with metrics. */
export const simulationHosts: readonly string[] = ['simulated-metrics.kube-system.svc'];

/** The flags with which the API server reaches the kubelets of a hosted simulation. Flags of the user come after them. */
export const kubeletFlags = (pki: string): readonly string[] => [
  `--kubelet-certificate-authority=${join(pki, 'ca.crt')}`,
  `--kubelet-client-certificate=${join(pki, 'admin.crt')}`,
  `--kubelet-client-key=${join(pki, 'admin.key')}`,
];
