/**
 * What the cluster lets containers have: the server's flags, for whoever checks a pod spec, however deep in another object.
 * Source: pkg/capabilities of k8s.io/kubernetes, which keeps it process-wide; here each server passes its own.
 */
export interface Capabilities {
  /** `--allow-privileged`: containers may be privileged, and processes of a Windows host. */
  readonly allowPrivileged: boolean;
}

/** Those of a server without flags. */
export const defaultCapabilities: Capabilities = { allowPrivileged: false };
