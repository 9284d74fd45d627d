export * from './plugin.ts';
export * from './chain.ts';
export * from './namespace-lifecycle.ts';
export * from './registry.ts';
export * from './pod-defaults.ts';
