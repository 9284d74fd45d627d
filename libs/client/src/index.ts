export * from './transport.ts';
export * from './rest-client.ts';
export * from './work-queue.ts';
export * from './informer.ts';
export * from './kubeconfig.ts';
