import { builtinProtobuf } from '@apichain/kinds/model';
import type { KubeObject } from '@apichain/meta';
import { encodeCbor } from '@apichain/scheme';
import type { StoredValue } from './backup-objects.ts';

/* Shorthand of the tests of this library. */

export const stored = (key: string, value: Buffer | string, modRevision = 1): StoredValue => ({
  key: Buffer.from(`/registry${key}`),
  value: Buffer.from(value),
  modRevision,
});

export const inJson = (key: string, object: object): StoredValue => stored(key, JSON.stringify(object));

/** In the form of kube-apiserver. */
export const inProtobuf = (key: string, object: KubeObject): StoredValue => stored(key, builtinProtobuf.encode(object));

/** In the form of a custom resource with the feature gate CBORServingAndStorage. */
export const inCbor = (key: string, object: object): StoredValue => stored(key, encodeCbor(object));

export const configMap = (name: string, data: Record<string, string>, more: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'shop', uid: `uid-${name}`, ...more },
  data,
});

/** Of a namespaced kind Widget that is stored in v1. */
export const widgetCrd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', shortNames: ['wi'] },
    versions: [
      { name: 'v2', served: true, storage: false },
      { name: 'v1', served: true, storage: true },
    ],
  },
};

export const crdKey = '/apiextensions.k8s.io/customresourcedefinitions/widgets.example.com';

export async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
