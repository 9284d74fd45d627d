export { createAggregatorServer, type AggregatorParts } from './server.ts';
export { aggregatorFlags } from './flags.ts';
