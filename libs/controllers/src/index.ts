export { helpText, parseControllersFlags, type ControllersFlags } from './flags.ts';
export { serveHealth, type ControllersState } from './health.ts';
export { errorText, jsonLogger } from './log.ts';
export { selectControllers } from './selection.ts';
export { startControllers } from './start.ts';
