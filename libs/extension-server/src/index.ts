export type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from '@apichain/admission';
export { RestClient } from '@apichain/client';
export {
  field,
  newBadRequest as badRequest,
  newConflict as conflict,
  newForbidden as forbidden,
  newNotFound as notFound,
  parseQuantity,
  StatusError,
  type FieldError,
  type KubeObject,
  type ObjectMeta,
} from '@apichain/meta';
export type { RequestContext } from '@apichain/request';
export { Type, type Static, type TObject, type TSchema } from 'typebox';
export { defineResource, type ResourceDefinition } from './resource/definition.ts';
export type {
  Column,
  ComputedEvent,
  ComputedObject,
  ComputedOptions,
  ComputedResourceOptions,
  ConnectOptions,
  ObjectOf,
  OtherVersion,
  ScaleOptions,
  StoredResourceOptions,
} from './resource/resource-options.ts';
export {
  createApiServer,
  type ApiServer,
  type ApiServerClients,
  type ApiServerContext,
  type ApiServerOptions,
  type RunningApiServer,
  type StartOptions,
} from './server.ts';
