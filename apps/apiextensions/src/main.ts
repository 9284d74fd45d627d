import { run } from '@apichain/apiserver';
import { apiExtensionsFlags, completeOptions } from '@apichain/server-apiextensions';
import { createApiExtensionsServer } from '@apichain/server-apiextensions';

// Remaining idle connections and timers must not delay the exit.
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
