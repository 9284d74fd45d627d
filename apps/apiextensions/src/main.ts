import { run } from '@apichain/apiserver';
import { apiExtensionsFlags, completeOptions } from './options.ts';
import { createApiExtensionsServer } from './server.ts';

process.exitCode = await run(
  {
    name: 'apiextensions',
    summary: 'Serves CustomResourceDefinitions and the custom resources they define.',
    definitions: apiExtensionsFlags,
    build: async (flags, stop) => createApiExtensionsServer(await completeOptions(flags, stop)),
  },
  process.argv.slice(2),
);
