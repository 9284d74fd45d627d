import { runService } from '@apichain/workers';

// The process that supervises workers does not load what they serve.
const code = await runService('aggregator', process.argv.slice(2), async (argv, worker) => {
  const { serve } = await import('./program.ts');
  return serve(argv, worker);
});
// Remaining idle connections and timers must not delay the exit.
process.exit(code);
