import { run } from '@apichain/apiserver';
import { aggregatorFlags, createAggregatorServer } from '@apichain/server-aggregator';
import type { Worker } from '@apichain/workers';

/** Serves until the process is told to stop. Resolves to the exit code. */
export const serve = (argv: readonly string[], worker: Worker | undefined): Promise<number> =>
  run(
    {
      name: 'aggregator',
      summary:
        'The entry of the chain: routes by APIService, aggregates discovery, forwards the rest to the next server.',
      definitions: aggregatorFlags,
      build: (flags, onFatal) => createAggregatorServer(flags, { onFatal, worker }),
    },
    argv,
    worker,
  );
