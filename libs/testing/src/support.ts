export { existingKubeconfig } from './existing-kubeconfig.ts';
export { makeTemporaryDirectory, removeTemporaryDirectory } from './temporary-directory.ts';
export { RunningWebhooks } from './webhooks/serving.ts';
