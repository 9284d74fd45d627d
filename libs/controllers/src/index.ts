export { helpText, parseControllersFlags, type ControllersFlags } from './flags.ts';
export { booleanValue, healthAddressValue, textFlag, withBooleanValues } from './flag-values.ts';
export { serveHealth, type ControllersState, type HealthAddress } from './health.ts';
export { jsonLogger } from './log.ts';
export { startControllers } from './start.ts';
