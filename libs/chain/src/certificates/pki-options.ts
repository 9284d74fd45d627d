/** The services of the chain; the first one receives the clients' requests. */
export const services = ['aggregator', 'kube-core', 'apiextensions'] as const;

/** The name of a service of the chain, as used in its certificate files. */
export type ServiceName = (typeof services)[number];

/** The directory of the certificates, and the names in the serving certificates. */
export interface PkiOptions {
  readonly directory: string;
  /** Additional names and addresses of the serving certificates, e.g. the bind address. */
  readonly hosts: readonly string[];
  /** The first address of the service range, which is the API's address inside a cluster. */
  readonly clusterAddress?: string;
  /** The services that get a serving certificate. Default: all. */
  readonly services?: readonly ServiceName[];
  /**
   * Whether a simulation that runs as a service of its own gets certificates: `simulation`, with which it serves kubelets and metrics, and
   * `kubelet-client`, with which the API server comes to the kubelets.
   */
  readonly simulation?: boolean;
  /** The owner of the files (`chown`), if it is another user. */
  readonly owner?: { readonly uid: number; readonly gid: number };
  /** Whether certificates are always made in this process: quicker from the second time on. Default: in a process of their own. */
  readonly inThisProcess?: boolean;
}
