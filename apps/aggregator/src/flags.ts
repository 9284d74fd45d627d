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
  {
    name: 'enable-admission-plugins',
    type: 'strings',
    section: 'Admission',
    usage: 'Admission plugins to run beside those that are on by default.',
  },
  {
    name: 'disable-admission-plugins',
    type: 'strings',
    section: 'Admission',
    usage: 'Admission plugins not to run although they are on by default.',
  },
];

export const aggregatorFlags = serviceFlags(own);
