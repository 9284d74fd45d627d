/**
 * Which container settings the cluster allows: the server's flags, for every check of a pod spec, also of one nested in another object.
 * Source: pkg/capabilities of k8s.io/kubernetes, which keeps it process-wide; here each server passes its own.
 */
export interface Capabilities {
  /** `--allow-privileged`: allows privileged containers, and host processes on Windows. */
  readonly allowPrivileged: boolean;
}

/** The capabilities of a server without flags. */
export const defaultCapabilities: Capabilities = { allowPrivileged: false };
