import { type DefinedResource, type EtcdStorage, defineResource, typedCodec } from '@apichain/apiserver';
import { builtinType, defaulterFor, tableConvertor } from '@apichain/kinds/model';
import { apiServiceStatusStrategy, apiServiceStrategy } from './strategy.ts';

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
