export { createKubeCoreServer } from './server.ts';
export { kubeCoreFlags, kubeCoreOptions, type KubeCoreOptions } from './options.ts';
export { templatesOf, writeFirstObjects, type FirstObjectTemplate } from './bootstrap/first-objects.ts';
export { systemNamespaces } from './bootstrap/system-namespaces.ts';
