import { admissionFlags, type FlagDefinition, serviceFlags } from '@apichain/apiserver-options';

const aggregation = 'Aggregation';

/** Flags that only the aggregator uses. */
const own: readonly FlagDefinition[] = [
  ...admissionFlags,
  {
    name: 'enable-aggregator-routing',
    type: 'bool',
    section: aggregation,
    usage: 'Route to the endpoints of a Service instead of its cluster IP.',
  },
  {
    name: 'aggregator-reject-forwarding-redirect',
    type: 'bool',
    default: 'true',
    section: aggregation,
    usage: 'Answer 502 to clients instead of the redirect of an extension API server.',
  },
];

/** Every flag of the aggregator. */
export const aggregatorFlags = serviceFlags(own);
