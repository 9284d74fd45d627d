import { type FlagDefinition, serviceFlags } from '@apichain/apiserver';

const aggregation = 'Aggregation';

/** Flags only the aggregator acts on. */
const own: readonly FlagDefinition[] = [
  {
    name: 'enable-aggregator-routing',
    type: 'bool',
    section: aggregation,
    usage: 'Route to the endpoints of a Service instead of its cluster IP.',
  },
];

export const aggregatorFlags = serviceFlags(own);
