/** What commands need to set a chain up or to look at one, without the servers themselves: they take long to load and much memory. */
export { certificateFlags } from './certificate-flags.ts';
export { ensurePki, type PkiOptions } from './certificates/pki.ts';
export type { ServiceName } from './certificates/services.ts';
export { signingKeyFlags } from './certificates/signing-key.ts';
export { kubeconfig, kubeconfigOf, mergeKubeconfig, type Kubeconfig, type KubeconfigOptions } from './kubeconfig.ts';
export { StartupError } from './startup-error.ts';
export { writeWholeFile } from './whole-file.ts';
