export { createKubeCoreServer } from './server.ts';
export { kubeCoreFlags, kubeCoreOptions, type KubeCoreOptions } from './options.ts';
export { systemNamespaces } from './bootstrap/system-namespaces.ts';
