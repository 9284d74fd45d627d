export { templatesOf, writeFirstObjects } from './bootstrap/first-objects.ts';
export { kubeCoreFlags, kubeCoreOptions } from './options.ts';
export { createKubeCoreServer } from './server.ts';
