import {
  formatGroupVersion,
  isRecord,
  isStatusError,
  newBadRequest,
  type JsonValue,
  type KubeObject,
} from '@apichain/meta';
import { noQuery } from '@apichain/request';
import type { Type } from '@apichain/scheme';
import type { RequestContext } from '@apichain/request';
import { defineResource, type DefinedResource, type ResourceDefinition } from './definition.ts';
import { MemoryStorage } from './memory-storage.fixture.ts';
import type { ObjectCodec } from './object-codec.ts';
import { isStoredObject, type Written } from './store.ts';
import type { Strategy } from './strategy.ts';

/** A kind for tests: any field, a status, no built-in behaviour. */
export const widgetKind = { group: 'test.example.com', version: 'v1', kind: 'Widget' };
const type: Type = { kind: 'object', fields: [], byName: new Map(), preserveUnknownFields: true };

export const widgetCodec: ObjectCodec = {
  kind: widgetKind,
  storageKind: widgetKind,
  custom: true,
  decode(value: JsonValue) {
    if (!isRecord(value)) throw newBadRequest('a widget is an object');
    const members: Record<string, unknown> = structuredClone(value);
    const { bogus, metadata, ...fields } = members;
    const object: KubeObject = {
      ...fields,
      kind: widgetKind.kind,
      apiVersion: formatGroupVersion(widgetKind),
      metadata: isRecord(metadata) ? metadata : {},
    };
    return { object, unknownFields: bogus === undefined ? [] : ['bogus'] };
  },
  toStorage: (object) => object,
  fromStorage: (object) => object,
  convert: (object) => object,
};

export const widgetStrategy: Strategy = {
  namespaceScoped: true,
  validateName: () => [],
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  prepareForCreate: (_ctx, object) => {
    object.metadata.generation = 1;
  },
  prepareForUpdate: (_ctx, object, old) => {
    if (JSON.stringify(object.spec) !== JSON.stringify(old.spec)) {
      object.metadata.generation = (old.metadata.generation ?? 0) + 1;
    }
  },
};

export interface Widgets {
  readonly defined: DefinedResource;
  readonly storage: MemoryStorage;
}

export function defineWidgets(
  strategy: Partial<Strategy> = {},
  more: Partial<ResourceDefinition> = {},
  codec: ObjectCodec = widgetCodec,
  memory: typeof MemoryStorage = MemoryStorage,
): Widgets {
  let storage: MemoryStorage | undefined;
  const defined = defineResource({
    versions: [
      {
        info: {
          kind: widgetKind,
          listKind: 'WidgetList',
          plural: 'widgets',
          singular: 'widget',
          namespaced: true,
          shortNames: [],
          categories: [],
        },
        type,
        codec,
        table: {
          columns: [{ name: 'Name', type: 'string', format: 'name', description: '', priority: 0 }],
          row: (object) => ({ cells: [object.metadata.name] }),
        },
        selectable: {
          labels: ['metadata.name', 'metadata.namespace', 'spec.color'],
          values: ({ spec }) => ({
            'spec.color': isRecord(spec) && typeof spec['color'] === 'string' ? spec['color'] : '',
          }),
        },
      },
    ],
    strategy: { ...widgetStrategy, ...strategy },
    prefix: '/test.example.com/widgets',
    openStorage: (options) => (storage = new memory(options.codec)),
    subresources: { status: true },
    ...more,
  });
  if (storage === undefined) throw new Error('the definition opened no storage');
  return { defined, storage };
}

/** A request in namespace `ns`. */
export function testContext(
  warnings: string[] = [],
  signal: AbortSignal = new AbortController().signal,
): RequestContext {
  return {
    requestInfo: {
      isResourceRequest: true,
      path: '/apis/test.example.com/v1/namespaces/ns/widgets',
      verb: '',
      apiPrefix: 'apis',
      apiGroup: widgetKind.group,
      apiVersion: widgetKind.version,
      namespace: 'ns',
      resource: 'widgets',
      subresource: '',
      name: '',
      parts: ['widgets'],
      fieldSelector: '',
      labelSelector: '',
    },
    query: noQuery,
    user: { name: 'tester', uid: '', groups: [], extra: {} },
    signal,
    userAgent: 'test/1',
    warn: (text) => warnings.push(text),
  };
}

export const widget = (name: string, rest: Record<string, unknown> = {}): KubeObject => ({
  kind: widgetKind.kind,
  apiVersion: formatGroupVersion(widgetKind),
  metadata: { name },
  ...rest,
});

/** The object of a write result. */
export const objectOf = (written: Written): KubeObject => (isStoredObject(written) ? written.parse() : written);

/** Whether an error is a StatusError with this reason and a matching message, for `assert.rejects`. */
export const refusedWith = (reason: string, message: RegExp) => (error: unknown) =>
  isStatusError(error, reason) && message.test(error.message);
