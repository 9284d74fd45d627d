import { stringifyYaml } from '@apichain/meta';

/** The cluster, the user and the context of a kubeconfig. */
export interface KubeconfigOptions {
  /** e.g. `https://127.0.0.1:6443`. */
  readonly server: string;
  /** PEM texts; they are embedded, so that the file can be copied to any location. */
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
  readonly user: string;
  /** Names of the entries. Default: `apichain`, the user's name and `apichain`. */
  readonly names?: { readonly cluster: string; readonly user: string; readonly context: string };
}

/** https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/ */
export interface Kubeconfig {
  readonly apiVersion: 'v1';
  readonly kind: 'Config';
  readonly clusters: readonly { name: string; cluster: { server: string; 'certificate-authority-data': string } }[];
  readonly users: readonly { name: string; user: { 'client-certificate-data': string; 'client-key-data': string } }[];
  readonly contexts: readonly { name: string; context: { cluster: string; user: string } }[];
  readonly 'current-context': string;
}

/** A kubeconfig with one cluster and one user: https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/ */
export function kubeconfigOf(options: KubeconfigOptions): Kubeconfig {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const names = options.names ?? { cluster: 'apichain', user: options.user, context: 'apichain' };
  const cluster = { server: options.server, 'certificate-authority-data': base64(options.ca) };
  const user = { 'client-certificate-data': base64(options.cert), 'client-key-data': base64(options.key) };
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: names.cluster, cluster }],
    users: [{ name: names.user, user }],
    contexts: [{ name: names.context, context: { cluster: names.cluster, user: names.user } }],
    'current-context': names.context,
  };
}

/** Like `kubeconfigOf`, as text. */
export function kubeconfig(options: KubeconfigOptions): string {
  return stringifyYaml(kubeconfigOf(options));
}

/** The contents of `into`, where the entries of `config` replace those of the same name; its context becomes the current one. */
export function mergeKubeconfig(into: Partial<Kubeconfig> | undefined, config: Kubeconfig): Kubeconfig {
  const join = <Entry extends { readonly name: string }>(
    old: readonly Entry[] | null | undefined,
    added: readonly Entry[],
  ) => [...(old ?? []).filter(({ name }) => added.every((entry) => entry.name !== name)), ...added];
  return {
    ...into,
    ...config,
    clusters: join(into?.clusters, config.clusters),
    users: join(into?.users, config.users),
    contexts: join(into?.contexts, config.contexts),
  };
}
