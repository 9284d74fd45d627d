import { run } from '@apichain/apiserver';
import { aggregatorFlags } from '@apichain/server-aggregator';
import { createAggregatorServer } from '@apichain/server-aggregator';

// Remaining idle connections and timers must not delay the exit.
const code = await run(
  {
    name: 'aggregator',
    summary:
      'The entry of the chain: routes by APIService, aggregates discovery, forwards the rest to the next server.',
    definitions: aggregatorFlags,
    build: (flags, onFatal) => createAggregatorServer(flags, { onFatal }),
  },
  process.argv.slice(2),
);
process.exit(code);
