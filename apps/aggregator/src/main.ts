import { run } from '@apichain/apiserver';
import { aggregatorFlags } from './flags.ts';
import { createAggregatorServer } from './server.ts';

// Idle connections and timers that are left must not delay the exit.
const code = await run(
  {
    name: 'aggregator',
    summary: 'The entry of the chain: routes by APIService, aggregates discovery, hands the rest to the next server.',
    definitions: aggregatorFlags,
    build: (flags, onFatal) => createAggregatorServer(flags, { onFatal }),
  },
  process.argv.slice(2),
);
process.exit(code);
