import { run } from '@apichain/apiserver';
import { apiExtensionsFlags, completeOptions, createApiExtensionsServer } from '@apichain/server-apiextensions';
import type { Worker } from '@apichain/workers';

/** Serves until the process is told to stop. Resolves to the exit code. */
export const serve = (argv: readonly string[], worker: Worker | undefined): Promise<number> =>
  run(
    {
      name: 'apiextensions',
      summary: 'Serves CustomResourceDefinitions and the custom resources they define.',
      definitions: apiExtensionsFlags,
      build: async (flags, stop) =>
        createApiExtensionsServer(await completeOptions(flags, stop, undefined, undefined, { worker })),
    },
    argv,
    worker,
  );
