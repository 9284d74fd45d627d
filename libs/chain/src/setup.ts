/** The functions with which commands set up or inspect a chain. The servers are not included, because loading them takes time and memory. */
export { certificateFlags, kubeletFlags, simulationHosts } from './certificate-flags.ts';
export { ensurePki } from './certificates/pki.ts';
export type { PkiOptions, ServiceName } from './certificates/pki-options.ts';
export { signingKeyFlags } from './certificates/signing-key.ts';
export { compileCacheEnvironment } from './compile-cache.ts';
export { kubeconfig, kubeconfigOf, type Kubeconfig, type KubeconfigOptions } from './kubeconfig.ts';
export { StartupError } from './startup-error.ts';
export { writeWholeFile } from './whole-file.ts';
