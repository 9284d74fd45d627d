import type { JsonSchemaProps } from '@apichain/schema';

/** The schema of an object of which nothing is known. */
export const anyObject: JsonSchemaProps = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** The same structural schema, in which every object may have more fields than it names. */
export function preservingUnknownFields(schema: JsonSchemaProps): JsonSchemaProps {
  const { properties, items, additionalProperties } = schema;
  const isMap = typeof additionalProperties === 'object';
  return {
    ...schema,
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, property]) => [name, preservingUnknownFields(property)]),
          ),
        }),
    ...(items === undefined || Array.isArray(items) ? {} : { items: preservingUnknownFields(items) }),
    ...(isMap ? { additionalProperties: preservingUnknownFields(additionalProperties) } : {}),
    ...(schema.type === 'object' && !isMap ? { 'x-kubernetes-preserve-unknown-fields': true } : {}),
  };
}
