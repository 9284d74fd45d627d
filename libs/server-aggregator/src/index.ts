export { aggregatorFlags } from './flags.ts';
export { createAggregatorServer } from './server.ts';
