import { RestClient, httpTransport, loadKubeconfig } from '@apichain/client';
import { startControllers } from '@apichain/controllers';
import { readCertificatePair, type CertificateFiles } from '@apichain/serving/certificate-files';
import type { TestChain } from '@apichain/testing';
import { Process } from '../../servers/process.ts';

/** A set of controllers, running. */
export interface Running {
  stop(): Promise<void>;
}

/** Starts the workload controllers of one of the two against a chain. */
export type Implementation = (chain: TestChain) => Running;

/** kube-controller-manager. */
export const theirs =
  (program: string, controllers: readonly string[], signer?: CertificateFiles): Implementation =>
  (chain) => {
    const flags = [`--kubeconfig=${chain.kubeconfigFile}`, `--controllers=${controllers.join(',')}`];
    const more = ['--leader-elect=false', '--secure-port=0', '--kube-api-qps=500', '--kube-api-burst=500'];
    const signing = signer && [
      `--cluster-signing-cert-file=${signer.certFile}`,
      `--cluster-signing-key-file=${signer.keyFile}`,
    ];
    return new Process([program, ...flags, ...more, ...(signing ?? [])], '/dev/null').start();
  };

/** Those of this repository. */
export const ours =
  (controllers: readonly string[], signerFiles?: CertificateFiles): Implementation =>
  (chain) => {
    const client = new RestClient(httpTransport(loadKubeconfig(chain.kubeconfigFile)));
    const stop = new AbortController();
    const signer = signerFiles && readCertificatePair(signerFiles);
    const { stopped } = startControllers({
      client,
      signal: stop.signal,
      controllers,
      ...(signer === undefined ? {} : { signer }),
    });
    return {
      stop: async () => {
        stop.abort();
        await stopped;
        await client.close();
      },
    };
  };
