import { run } from '@apichain/apiserver';
import { aggregatorFlags } from './flags.ts';
import { createAggregatorServer } from './server.ts';

process.exitCode = await run(
  {
    name: 'aggregator',
    summary: 'The entry of the chain: routes by APIService, aggregates discovery, hands the rest to the next server.',
    definitions: aggregatorFlags,
    build: (flags, onFatal) => createAggregatorServer(flags, { onFatal }),
  },
  process.argv.slice(2),
);
