import { run } from '@apichain/apiserver';
import { apiExtensionsFlags, completeOptions } from './options.ts';
import { createApiExtensionsServer } from './server.ts';

// Idle connections and timers that are left must not delay the exit.
const code = await run(
  {
    name: 'apiextensions',
    summary: 'Serves CustomResourceDefinitions and the custom resources they define.',
    definitions: apiExtensionsFlags,
    build: async (flags, stop) => createApiExtensionsServer(await completeOptions(flags, stop)),
  },
  process.argv.slice(2),
);
process.exit(code);
