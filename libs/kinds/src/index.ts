export * from './types.ts';
export { defaulterFor } from './defaults/index.ts';
