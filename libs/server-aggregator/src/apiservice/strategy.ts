import type { Strategy } from '@apichain/apiserver';
import { currentTimestamp, validatePathSegmentName } from '@apichain/meta';
import { type ApiService, localCondition, withCondition } from './api-service.ts';
import { validateApiService, validateApiServiceStatusUpdate, validateApiServiceUpdate } from './validation.ts';

const apiVersion = 'apiregistration.k8s.io/v1';

/** Writes to the APIService itself: status belongs to the availability controllers. */
export const apiServiceStrategy: Strategy = {
  namespaceScoped: false,
  validateName: validatePathSegmentName,
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: false,
  resetFields: { [apiVersion]: ['status'] },
  prepareForCreate: (_ctx, object) => {
    const service = object as ApiService;
    service.status = {};
    // A local APIService is available at once: routing must not wait for a controller.
    if (service.spec.service === undefined) service.status = withCondition({}, localCondition, currentTimestamp());
  },
  prepareForUpdate: (_ctx, object, old) => {
    (object as ApiService).status = (old as ApiService).status;
  },
  validate: (_ctx, object) => validateApiService(object as ApiService),
  validateUpdate: (_ctx, object, old) => validateApiServiceUpdate(object as ApiService, old as ApiService),
};

/** Writes to /status change only the status and managedFields. */
export const apiServiceStatusStrategy: Strategy = {
  ...apiServiceStrategy,
  resetFields: { [apiVersion]: ['spec', 'metadata'] },
  prepareForUpdate: (_ctx, object, old) => {
    const service = object as ApiService;
    service.spec = (old as ApiService).spec;
    const { labels, annotations, finalizers, ownerReferences } = old.metadata;
    Object.assign(service.metadata, { labels, annotations, finalizers, ownerReferences });
  },
  validateUpdate: (_ctx, object, old) => validateApiServiceStatusUpdate(object as ApiService, old as ApiService),
};
