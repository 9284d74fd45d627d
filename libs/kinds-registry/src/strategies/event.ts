import type { KindBehaviour } from './behaviour.ts';
import type { StrategyHook } from './server-hooks.ts';

const hour = 3600;

/** Events are kept for the time that `--event-ttl` says. */
const withEventTtl: StrategyHook = (strategy, { options }) => ({
  ...strategy,
  ttlSeconds: () => options.eventTtlSeconds ?? hour,
});

/** Events of both groups, which share their objects. */
export const eventBehaviour: KindBehaviour = {
  name: 'any',
  status: 'keep',
  hooks: { defaultGarbageCollectionPolicy: () => 'Unsupported' },
  server: { strategy: withEventTtl },
};
