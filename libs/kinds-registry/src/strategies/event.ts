import type { KindBehaviour } from './behaviour.ts';
import type { StrategyHook } from './server-hooks.ts';

const hour = 3600;

/** Events expire after `--event-ttl`. */
const withEventTtl: StrategyHook = (strategy, { options }) => ({
  ...strategy,
  ttlSeconds: () => options.eventTtlSeconds ?? hour,
});

/** Events of both groups; they share their stored objects. */
export const eventBehaviour: KindBehaviour = {
  name: 'any',
  status: 'keep',
  hooks: { defaultGarbageCollectionPolicy: () => 'Unsupported' },
  server: { strategy: withEventTtl },
};
