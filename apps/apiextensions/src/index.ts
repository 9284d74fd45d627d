export { createApiExtensionsServer, type ApiExtensionsOptions } from './server.ts';
export { apiExtensionsFlags, completeOptions } from './options.ts';
