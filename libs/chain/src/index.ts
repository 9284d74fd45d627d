export { certificateFlags } from './certificate-flags.ts';
export { ensurePki } from './certificates/pki.ts';
export type { PkiOptions } from './certificates/pki-options.ts';
export type { ServiceName } from './certificates/services.ts';
export { signingKeyFlags } from './certificates/signing-key.ts';
export { startInProcessChain, type InProcessChain, type InProcessChainOptions } from './chain.ts';
export {
  hostSimulation,
  kubeletFlags,
  type HostedSimulation,
  type HostedSimulationOptions,
} from './hosted-simulation.ts';
export { hostControllers, type HostedControllers } from './hosted-controllers.ts';
export { kubeconfig, kubeconfigOf, mergeKubeconfig, type Kubeconfig, type KubeconfigOptions } from './kubeconfig.ts';
export { StartupError } from './startup-error.ts';
export { writeWholeFile } from './whole-file.ts';
