import { isRecord } from '@apichain/meta';
import type { Step } from '../scenario.ts';
import { get, post } from './steps.ts';

/* Definitions and objects of custom kinds. Every scenario has its own group. */

/** The path of definitions. */
export const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
/** The API group of a scenario. */
export const group = (name: string) => `${name}.{{run}}.example.com`;
/** A version of a definition that is served and stored. */
export const version = (name: string, schema: object, more: object = {}) => ({
  ...{ name, served: true, storage: true },
  schema: { openAPIV3Schema: { type: 'object', ...schema } },
  ...more,
});
/** A CustomResourceDefinition of widgets. */
export const definition = (name: string, versions: readonly object[], more: object = {}) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `widgets.${group(name)}` },
  spec: { group: group(name), scope: 'Namespaced', names: { plural: 'widgets', kind: 'Widget' }, versions, ...more },
});

/** Removes what the server's own controllers write in stages: their conditions, managers and versions are not compared. */
export const withoutProgress = (body: unknown): unknown => {
  if (!isRecord(body) || !isRecord(body['metadata'])) return body;
  const { managedFields: _fields, resourceVersion: _version, ...metadata } = body['metadata'];
  const { conditions: _conditions, ...status } = isRecord(body['status']) ? body['status'] : {};
  return { ...body, metadata, ...(body['kind'] === 'CustomResourceDefinition' ? { status } : {}) };
};

/** Creates a definition and waits until its objects are served. */
export const define = (name: string, versions: readonly object[], more: object = {}, served = 'v1'): Step[] => [
  post('define', crds, definition(name, versions, more), { select: withoutProgress }),
  get('wait for its objects', `/apis/${group(name)}/${served}/namespaces/{{ns}}/widgets`, { until: { status: 200 } }),
];
/** The path of the widgets of a scenario. */
export const path = (name: string, served = 'v1') => `/apis/${group(name)}/${served}/namespaces/{{ns}}/widgets`;
/** A widget of a scenario. */
export const widget = (name: string, object: string, fields: object = {}, served = 'v1', metadata: object = {}) => ({
  ...{ apiVersion: `${group(name)}/${served}`, kind: 'Widget', metadata: { name: object, ...metadata } },
  ...fields,
});
/** A schema with a spec that has these properties. */
export const specOf = (properties: object, more: object = {}) => ({
  properties: { spec: { type: 'object', properties, ...more } },
});
/** A schema that accepts any value. */
export const open = { 'x-kubernetes-preserve-unknown-fields': true };
