import type { StrategyHook } from '../strategies/server-hooks.ts';
import { serviceAllocationHooks } from './service-allocation.ts';

/** Allocates cluster IPs and node ports when services are written, from the stores of the server. */
export const withServiceAllocation: StrategyHook = (strategy, { services }) => ({
  ...strategy,
  ...serviceAllocationHooks(services().allocators),
});
