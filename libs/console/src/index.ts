export { loadAssets } from './assets.ts';
export { codesEndpoint } from './codes-endpoint.ts';
export { ConsoleServer, consoleUrl } from './console-server.ts';
export { refuseNewCredentials } from './new-credentials.ts';
export { RecentRequests } from './recent-requests.ts';
export { codesPath, SessionAuthenticator } from './session-authenticator.ts';
export { Sessions } from './sessions.ts';
export { consoleOfWorker, serveWorkers } from './workers.ts';
