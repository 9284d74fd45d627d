import { stringifyYaml } from '@apichain/meta';

export interface KubeconfigOptions {
  /** e.g. `https://127.0.0.1:6443`. */
  readonly server: string;
  /** PEM texts; they are embedded, so that the file can be copied anywhere. */
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
  readonly user: string;
}

/** A kubeconfig with one cluster and one user: https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/ */
export function kubeconfig(options: KubeconfigOptions): string {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  return stringifyYaml({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: 'apichain', cluster: { server: options.server, 'certificate-authority-data': base64(options.ca) } },
    ],
    users: [
      {
        name: options.user,
        user: { 'client-certificate-data': base64(options.cert), 'client-key-data': base64(options.key) },
      },
    ],
    contexts: [{ name: 'apichain', context: { cluster: 'apichain', user: options.user } }],
    'current-context': 'apichain',
  });
}
