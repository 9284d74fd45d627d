export * from './request-info.ts';
export * from './delegation.ts';
export * from './registry/context.ts';
export * from './registry/strategy.ts';
export * from './registry/rest.ts';
export * from './registry/object-codec.ts';
