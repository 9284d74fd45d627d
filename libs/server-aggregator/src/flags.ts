import { kubernetesEndpointsFlags } from '@apichain/apiserver';
import { admissionFlags, type FlagDefinition, serviceFlags } from '@apichain/apiserver-options';

const aggregation = 'Aggregation';

/** Flags that only the aggregator uses. */
const own: readonly FlagDefinition[] = [
  ...admissionFlags,
  ...kubernetesEndpointsFlags,
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
  {
    name: 'console-port',
    type: 'int',
    section: 'Console',
    usage:
      'Serve the console on this port of 127.0.0.1, for the browsers of this machine; 0 = no console. A POST to /console/codes gives a URL that logs in its caller.',
  },
];

/** Every flag of the aggregator. */
export const aggregatorFlags = serviceFlags(own);
