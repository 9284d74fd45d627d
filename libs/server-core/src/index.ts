export { templatesOf, writeFirstObjects } from './bootstrap/first-objects.ts';
export { checkKubeCoreFlags, kubeCoreFlags, kubeCoreOptions } from './options.ts';
export { createKubeCoreServer } from './server.ts';
