import type { CustomResourceDefinition, JsonSchemaProps } from '@apichain/schema';

/** A valid definition but for what its schema and the rest of its spec say. */
export const widgets = (
  schema: JsonSchemaProps,
  rest: Partial<CustomResourceDefinition['spec']> = {},
): CustomResourceDefinition => ({
  ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
  metadata: { name: 'widgets.example.com' },
  spec: {
    ...{ group: 'example.com', scope: 'Namespaced', conversion: { strategy: 'None' } },
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    ...rest,
  },
  status: { storedVersions: ['v1'] },
});
