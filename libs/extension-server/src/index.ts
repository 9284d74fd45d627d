export { field, type FieldError } from '@apichain/meta';
export { Type, type Static } from 'typebox';
export { defineResource, type ResourceDefinition } from './resource/definition.ts';
export { createApiServer, type ApiServer, type ApiServerOptions, type RunningApiServer } from './server.ts';
