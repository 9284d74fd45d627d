export * from './authorizer.ts';
export * from './always.ts';
export * from './privileged-groups.ts';
export * from './paths.ts';
export * from './union.ts';
