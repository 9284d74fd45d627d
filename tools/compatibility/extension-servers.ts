import { join } from 'node:path';
import { freePort } from '@apichain/meta';
import type { CertificateFiles } from '@apichain/serving/certificate-files';
import { isOk } from '../servers/get.ts';
import { Process, waitFor } from '../servers/process.ts';
import type { Platform } from './platform.ts';

const readyTimeoutMs = 60_000;

/** A Go extension API server: a program that can be killed and started again on the same port. */
export class ExtensionServer {
  readonly port: number;
  readonly #process: Process;

  constructor(port: number, process: Process) {
    this.port = port;
    this.#process = process;
  }

  /** Waits until the server is ready. */
  async start(): Promise<void> {
    await this.#process.start().until(isOk(`https://127.0.0.1:${this.port}/livez`), readyTimeoutMs);
  }

  stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    return this.#process.stop(signal);
  }
}

export async function sampleApiserver(platform: Platform, name: string): Promise<ExtensionServer> {
  const serving = await platform.servingFiles('api.wardle.svc');
  return extensionServer(platform, name, platform.programs.sampleApiserver, serving, [
    '--bind-address=127.0.0.1',
    `--etcd-servers=${platform.etcdUrl}`,
    `--kubeconfig=${platform.kubeconfig}`,
  ]);
}

export async function metricsServer(platform: Platform): Promise<ExtensionServer> {
  const serving = await platform.servingFiles('metrics-server.kube-system.svc');
  return extensionServer(platform, 'metrics-server', platform.programs.metricsServer, serving, [
    '--bind-address=127.0.0.1',
    `--kubeconfig=${platform.kubeconfig}`,
    '--kubelet-insecure-tls',
    '--kubelet-use-node-status-port',
    '--kubelet-preferred-address-types=InternalIP',
    '--kubelet-request-timeout=5s',
    '--metric-resolution=10s',
  ]);
}

async function extensionServer(
  platform: Platform,
  name: string,
  program: string,
  serving: CertificateFiles,
  args: readonly string[],
): Promise<ExtensionServer> {
  const port = await freePort();
  const command = [
    program,
    `--secure-port=${port}`,
    `--tls-cert-file=${serving.certFile}`,
    `--tls-private-key-file=${serving.keyFile}`,
    `--authentication-kubeconfig=${platform.kubeconfig}`,
    `--authorization-kubeconfig=${platform.kubeconfig}`,
    ...args,
  ];
  return new ExtensionServer(port, new Process(command, join(platform.dir, `${name}.log`)));
}

const apiServicesPath = '/apis/apiregistration.k8s.io/v1/apiservices';

export const pathOfApiService = (name: string): string => `${apiServicesPath}/${name}`;

/** An APIService `VERSION.GROUP` at a Service. */
export function createApiService(
  platform: Platform,
  name: string,
  service: { readonly namespace: string; readonly name: string; readonly port: number },
  tls: { readonly caBundle?: string; readonly insecureSkipTLSVerify?: boolean } = { caBundle: platform.caBundle },
): Promise<void> {
  const [version = '', ...group] = name.split('.');
  return platform.create(apiServicesPath, {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name },
    spec: { group: group.join('.'), version, groupPriorityMinimum: 1000, versionPriority: 15, service, ...tls },
  });
}

/** A Service that leads to this machine, whatever the port. */
export function createLocalService(platform: Platform, namespace: string, name: string): Promise<void> {
  return platform.create(`/api/v1/namespaces/${namespace}/services`, {
    metadata: { name },
    spec: { type: 'ExternalName', externalName: '127.0.0.1' },
  });
}

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

export async function availableCondition(platform: Platform, name: string): Promise<Condition | undefined> {
  const { body } = await platform.get(pathOfApiService(name));
  const { status } = body as { status?: { conditions?: Condition[] } };
  return status?.conditions?.find(({ type }) => type === 'Available');
}

/** Waits for a status of the Available condition. Returns the milliseconds. */
export async function waitForAvailable(platform: Platform, name: string, status: 'True' | 'False'): Promise<number> {
  let last: Condition | undefined;
  return waitFor(
    async () => {
      last = await availableCondition(platform, name);
      return last?.status === status;
    },
    60_000,
    () => `${name} is ${JSON.stringify(last)} behind ${platform.name}`,
  );
}
