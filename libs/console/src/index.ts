export { loadAssets } from './assets.ts';
export { ConsoleServer, type ConsoleOptions, type RecentRequests } from './console-server.ts';
export { Sessions, type Invitation } from './sessions.ts';
export { SessionAuthenticator } from './session-authenticator.ts';
