export * from './type.ts';
export * from './decode.ts';
export * from './go-type-name.ts';
export * from './scalars/go-time.ts';
export * from './scalars/base64.ts';
export * from './scheme.ts';
export * from './defaulting.ts';
export * from './strategic-merge-patch.ts';
