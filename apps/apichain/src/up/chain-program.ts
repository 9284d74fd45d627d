import { run } from '@apichain/apiserver';
import type { FlagDefinition } from '@apichain/apiserver-options';
import { startInProcessChain } from '@apichain/chain';
import { createLogger } from '@apichain/request';
import { aggregatorFlags } from '@apichain/server-aggregator';
import { apiExtensionsFlags } from '@apichain/server-apiextensions';
import { kubeCoreFlags } from '@apichain/server-core';
import type { Worker } from '@apichain/workers';

/** The flags of all servers: each as a server defines it in which it has an effect. */
function definitions(): readonly FlagDefinition[] {
  const byName = new Map<string, FlagDefinition>();
  for (const definition of [...aggregatorFlags, ...kubeCoreFlags, ...apiExtensionsFlags]) {
    const known = byName.get(definition.name);
    if (known === undefined || known.effectIn !== undefined) byName.set(definition.name, definition);
  }
  return [...byName.values()];
}

const known = new Set(kubeCoreFlags.map(({ name }) => name));

/** Whether a flag, as `--name=value`, is one that only the first server knows. */
const isOfFirst = (flag: string): boolean =>
  !known.has(/^--([^=]+)/.exec(flag)?.[1] ?? '') && aggregatorFlags.some(({ name }) => flag.startsWith(`--${name}=`));

/** Serves the three servers in this process until it is told to stop. Resolves to the exit code. */
export const serve = (argv: readonly string[], worker: Worker | undefined): Promise<number> =>
  run(
    {
      name: 'chain',
      summary: 'The three servers of the chain in one process.',
      definitions: definitions(),
      build: async (flags, stop) => {
        const logger = (service: string) => createLogger(service, flags.number('v'));
        const chain = await startInProcessChain({
          flags: argv.filter((flag) => !isOfFirst(flag)),
          aggregatorFlags: argv.filter(isOfFirst),
          logger,
          onFatal: stop,
          worker,
        });
        return {
          config: { logger: logger('apichain') },
          activity: () => chain.activity(),
          shutdown: () => chain.stop(),
        };
      },
    },
    argv,
    worker,
  );
