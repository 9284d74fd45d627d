import { createApiServer } from '@apichain/extension-server';
import { metrics } from './metrics.ts';
import { requested } from './requested.ts';

/** The server of the example: `server.run()` as a program, `server.start()` in a test. */
export const server = createApiServer({
  name: 'metrics',
  summary: 'Serves metrics.k8s.io, for `kubectl top`.',
  resources: ({ core }) => metrics(requested(core), '30s'),
});

if (import.meta.main) process.exit(await server.run());
