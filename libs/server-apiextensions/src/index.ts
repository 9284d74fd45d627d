export { apiExtensionsFlags, completeOptions } from './options.ts';
export { createApiExtensionsServer } from './server.ts';
