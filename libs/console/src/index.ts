export { loadAssets } from './assets.ts';
export { ConsoleServer } from './console-server.ts';
export { RecentRequests } from './recent-requests.ts';
export { SessionAuthenticator } from './session-authenticator.ts';
export { Sessions } from './sessions.ts';
