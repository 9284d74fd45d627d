import { run } from '@apichain/apiserver';
import { createKubeCoreServer, kubeCoreFlags, kubeCoreOptions } from '@apichain/server-core';

// Remaining idle connections and timers must not delay the exit.
const code = await run(
  {
    name: 'kube-core',
    summary: 'Serves the built-in API groups of Kubernetes.',
    definitions: kubeCoreFlags,
    build: async (flags, stop) => createKubeCoreServer(await kubeCoreOptions(flags, { onFatal: stop })),
  },
  process.argv.slice(2),
);
process.exit(code);
