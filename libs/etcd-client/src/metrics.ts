/** The metrics of calls to etcd. Every member is optional; the caller maps the members to its own metrics. */
export interface EtcdMetrics {
  /** Returns the counter of calls to etcd for a resource (`deployments.apps`; empty = no resource). Called once for each resource. */
  etcdRequests?(resource: string): EtcdRequestCounter;
}

/** Called when a call ends. `operation` is kube-apiserver's name: get, list, listWithCount, create, update, delete. */
export type EtcdRequestCounter = (operation: string, seconds: number, failed: boolean) => void;
