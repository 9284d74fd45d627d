export { certificateFlags } from './in-process/certificate-flags.ts';
export { ensurePki, type PkiOptions } from './certificates/pki.ts';
export { startInProcessChain, type InProcessChain, type InProcessChainOptions } from './in-process/chain.ts';
export { kubeconfig, type KubeconfigOptions } from './kubeconfig.ts';
export { hostControllers, type HostedControllers } from './up/hosted-controllers.ts';
export { selectControllers } from '@apichain/controllers/selection';
