import { run } from '@apichain/apiserver';
import { createKubeCoreServer, kubeCoreFlags, kubeCoreOptions } from '@apichain/server-core';
import type { Worker } from '@apichain/workers';

/** Serves until the process is told to stop. Resolves to the exit code. */
export const serve = (argv: readonly string[], worker: Worker | undefined): Promise<number> =>
  run(
    {
      name: 'kube-core',
      summary: 'Serves the built-in API groups of Kubernetes.',
      definitions: kubeCoreFlags,
      build: async (flags, stop) => createKubeCoreServer(await kubeCoreOptions(flags, { onFatal: stop, worker })),
    },
    argv,
    worker,
  );
