export { helpText, parseControllersFlags, type ControllersFlags } from './flags.ts';
export { booleanValue, healthAddressValue, textFlag, withBooleanValues } from './flag-values.ts';
export { serveHealth, type ControllersState } from './health.ts';
export { startControllers } from './start.ts';
