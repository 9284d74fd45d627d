import { type DefinedResource, type EtcdStorage, defineResource, typedCodec, type Strategy } from '@apichain/apiserver';
import { builtinType, defaulterFor, tableConvertor, builtinKinds } from '@apichain/kinds/model';
import { currentTimestamp, validatePathSegmentName, type GroupVersionKind } from '@apichain/meta';
import { type ApiService, localCondition, withCondition } from './api-service.ts';
import { validateApiService, validateApiServiceStatusUpdate, validateApiServiceUpdate } from './validation.ts';

const group = 'apiregistration.k8s.io';

/** The kinds that the aggregator decodes: those of its own group, including an older version. */
export const aggregatorKinds = {
  name: 'pkg/apiserver/scheme/scheme.go:28',
  recognizes: (kind: GroupVersionKind): boolean =>
    kind.group === group &&
    builtinKinds.recognizes({ ...kind, version: kind.version === 'v1beta1' ? 'v1' : kind.version }),
} as const;

const apiVersion = 'apiregistration.k8s.io/v1';

/** Writes to the APIService itself: status belongs to the availability controllers. */
const apiServiceStrategy: Strategy = {
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
const apiServiceStatusStrategy: Strategy = {
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

const kind = { group: 'apiregistration.k8s.io', version: 'v1', kind: 'APIService' };

/** Stores APIServices in etcd with the layout of kube-aggregator. */
export function defineApiServices(etcd: EtcdStorage): DefinedResource {
  const type = builtinType(kind);
  if (type === undefined) throw new Error('the table of types has no APIService');
  const setDefaults = defaulterFor(kind);
  return defineResource({
    versions: [
      {
        info: {
          kind,
          listKind: 'APIServiceList',
          plural: 'apiservices',
          singular: 'apiservice',
          namespaced: false,
          shortNames: [],
          categories: ['api-extensions'],
        },
        type,
        codec: typedCodec({ kind, type, setDefaults }),
        table: tableConvertor(kind.group, kind.kind),
      },
    ],
    strategy: apiServiceStrategy,
    prefix: '/apiregistration.k8s.io/apiservices',
    openStorage: ({ prefix, codec }) =>
      etcd.open({ prefix, codec, kind, resource: { group: kind.group, resource: 'apiservices' } }),
    subresources: { status: apiServiceStatusStrategy },
  });
}
