export { coreApiOf } from './core-api.ts';
export { delegationFlags } from './flags.ts';
