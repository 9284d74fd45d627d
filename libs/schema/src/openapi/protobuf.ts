import type { OpenApiDocument } from './openapi-types.ts';
import { encodeMessage, type FieldEncoding, type MessageEncoding, type MessageField } from './protobuf-writer.ts';

export const openApiV2Protobuf = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
export const openApiV3Protobuf = 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf';

/** The v2 document as gnostic's openapi.v2.Document, which kubectl asks for. Field numbers: google/gnostic-models OpenAPIv2.proto. */
export const encodeOpenApiV2 = (document: OpenApiDocument): Buffer => encodeMessage(document, v2Document);
/** The v3 document as gnostic's openapi.v3.Document. Field numbers: google/gnostic-models OpenAPIv3.proto. */
export const encodeOpenApiV3 = (document: OpenApiDocument): Buffer => encodeMessage(document, v3Document);

const field =
  (kind: 'string' | 'bool' | 'int' | 'double' | 'any', repeated = false) =>
  (number: number): MessageField => ({ number, encoding: { kind }, ...(repeated ? { repeated } : {}) });
const string = field('string');
const strings = field('string', true);
const bool = field('bool');
const int = field('int');
const double = field('double');
const any = field('any');
const anys = field('any', true);
const message = (number: number, to: () => MessageEncoding, repeated = false): MessageField => ({
  number,
  encoding: { kind: 'message', message: to },
  ...(repeated ? { repeated } : {}),
});
const entries = (number: number, value: () => MessageEncoding): MessageField => ({
  number,
  encoding: { kind: 'entries', value } satisfies FieldEncoding,
});

const info = (version: number): MessageEncoding => ({
  fields: { title: string(1), version: string(version) },
  extensions: 7,
});

const wrap =
  (name: string) =>
  (value: unknown): unknown => ({ [name]: value });

/** A union of a value and a reference to one: `ref` when the JSON has `$ref`. */
const orReference = (ref: string, inline: string) => (value: unknown) =>
  typeof value === 'object' && value !== null && '$ref' in value ? { [ref]: value } : { [inline]: value };

const additionalProperties = (schema: () => MessageEncoding): MessageEncoding => ({
  fields: { schema: message(1, schema), boolean: bool(2) },
  from: (value) => (typeof value === 'boolean' ? { boolean: value } : { schema: value }),
});
const items = (schema: () => MessageEncoding): MessageEncoding => ({
  fields: { schema: message(1, schema, true) },
  from: (value) => ({ schema: Array.isArray(value) ? value : [value] }),
});
const externalDocs: MessageEncoding = { fields: { description: string(1), url: string(2) }, extensions: 3 };

const bounds = (first: number): Record<string, MessageField> => ({
  multipleOf: double(first),
  maximum: double(first + 1),
  exclusiveMaximum: bool(first + 2),
  minimum: double(first + 3),
  exclusiveMinimum: bool(first + 4),
  maxLength: int(first + 5),
  minLength: int(first + 6),
  pattern: string(first + 7),
  maxItems: int(first + 8),
  minItems: int(first + 9),
  uniqueItems: bool(first + 10),
  maxProperties: int(first + 11),
  minProperties: int(first + 12),
  required: strings(first + 13),
  enum: anys(first + 14),
});

/* Version 2 */

const v2Schema: MessageEncoding = {
  fields: {
    $ref: string(1),
    format: string(2),
    title: string(3),
    description: string(4),
    default: any(5),
    ...bounds(6),
    additionalProperties: message(21, () => additionalProperties(() => v2Schema)),
    type: message(22, () => typeItem),
    items: message(23, () => items(() => v2Schema)),
    allOf: message(24, () => v2Schema, true),
    properties: entries(25, () => v2Schema),
    externalDocs: message(29, () => externalDocs),
    example: any(30),
  },
  extensions: 31,
};
const typeItem: MessageEncoding = {
  fields: { value: strings(1) },
  from: (value) => ({ value: Array.isArray(value) ? value : [value] }),
};
const v2BodyParameter: MessageEncoding = {
  fields: {
    description: string(1),
    name: string(2),
    in: string(3),
    required: bool(4),
    schema: message(5, () => v2Schema),
  },
};
const v2QueryParameter: MessageEncoding = {
  fields: {
    required: bool(1),
    in: string(2),
    description: string(3),
    name: string(4),
    type: string(6),
    format: string(7),
    uniqueItems: bool(20),
  },
};
const v2PathParameter: MessageEncoding = {
  fields: {
    required: bool(1),
    in: string(2),
    description: string(3),
    name: string(4),
    type: string(5),
    format: string(6),
    uniqueItems: bool(19),
  },
};
const v2NonBody: MessageEncoding = {
  fields: { query: message(3, () => v2QueryParameter), path: message(4, () => v2PathParameter) },
  from: (value) => ({ [placeOf(value)]: value }),
};
const placeOf = (value: unknown): string =>
  typeof value === 'object' && value !== null && 'in' in value ? String(value.in) : '';
const v2Parameter: MessageEncoding = {
  fields: { body: message(1, () => v2BodyParameter), other: message(2, () => v2NonBody) },
  from: (value) => ({ [placeOf(value) === 'body' ? 'body' : 'other']: value }),
};
const v2ParametersItem: MessageEncoding = {
  fields: { parameter: message(1, () => v2Parameter) },
  from: wrap('parameter'),
};
const v2Response: MessageEncoding = {
  fields: {
    description: string(1),
    schema: message(2, () => ({ fields: { schema: message(1, () => v2Schema) }, from: wrap('schema') })),
  },
};
const v2ResponseValue: MessageEncoding = {
  fields: { response: message(1, () => v2Response) },
  from: wrap('response'),
};
const v2Operation: MessageEncoding = {
  fields: {
    tags: strings(1),
    summary: string(2),
    description: string(3),
    operationId: string(5),
    produces: strings(6),
    consumes: strings(7),
    parameters: message(8, () => v2ParametersItem, true),
    responses: message(9, () => ({ fields: {}, extensions: 2, rest: { number: 1, value: () => v2ResponseValue } })),
    schemes: strings(10),
    deprecated: bool(11),
  },
  extensions: 13,
};
const v2PathItem: MessageEncoding = {
  fields: {
    get: message(2, () => v2Operation),
    put: message(3, () => v2Operation),
    post: message(4, () => v2Operation),
    delete: message(5, () => v2Operation),
    options: message(6, () => v2Operation),
    head: message(7, () => v2Operation),
    patch: message(8, () => v2Operation),
    parameters: message(9, () => v2ParametersItem, true),
  },
  extensions: 10,
};
const v2Document: MessageEncoding = {
  fields: {
    swagger: string(1),
    info: message(2, () => info(2)),
    paths: message(8, () => ({ fields: {}, extensions: 1, rest: { number: 2, value: () => v2PathItem } })),
    definitions: entries(9, () => v2Schema),
  },
  extensions: 16,
};

/* Version 3 */

const reference: MessageEncoding = { fields: { $ref: string(1), summary: string(2), description: string(3) } };
const v3SchemaOrReference: MessageEncoding = {
  fields: { schema: message(1, () => v3Schema), reference: message(2, () => reference) },
  from: orReference('reference', 'schema'),
};
const v3Default: MessageEncoding = {
  fields: { number: double(1), boolean: bool(2), string: string(3) },
  from: (value) => ({ [typeof value]: value }),
};
const v3Schema: MessageEncoding = {
  fields: {
    nullable: bool(1),
    externalDocs: message(6, () => externalDocs),
    example: any(7),
    deprecated: bool(8),
    title: string(9),
    ...bounds(10),
    type: string(25),
    allOf: message(26, () => v3SchemaOrReference, true),
    oneOf: message(27, () => v3SchemaOrReference, true),
    anyOf: message(28, () => v3SchemaOrReference, true),
    not: message(29, () => v3Schema),
    items: message(30, () => items(() => v3SchemaOrReference)),
    properties: entries(31, () => v3SchemaOrReference),
    additionalProperties: message(32, () => additionalProperties(() => v3SchemaOrReference)),
    default: message(33, () => v3Default),
    description: string(34),
    format: string(35),
  },
  extensions: 36,
};
const v3MediaType: MessageEncoding = { fields: { schema: message(1, () => v3SchemaOrReference) } };
const v3Parameter: MessageEncoding = {
  fields: {
    name: string(1),
    in: string(2),
    description: string(3),
    required: bool(4),
    schema: message(10, () => v3SchemaOrReference),
  },
};
const v3ParameterOrReference: MessageEncoding = {
  fields: { parameter: message(1, () => v3Parameter), reference: message(2, () => reference) },
  from: orReference('reference', 'parameter'),
};
const v3RequestBody: MessageEncoding = {
  fields: { description: string(1), content: entries(2, () => v3MediaType), required: bool(3) },
};
const v3Response: MessageEncoding = { fields: { description: string(1), content: entries(3, () => v3MediaType) } };
const v3ResponseOrReference: MessageEncoding = {
  fields: { response: message(1, () => v3Response) },
  from: wrap('response'),
};
const v3Operation: MessageEncoding = {
  fields: {
    tags: strings(1),
    summary: string(2),
    description: string(3),
    operationId: string(5),
    parameters: message(6, () => v3ParameterOrReference, true),
    requestBody: message(7, () => ({ fields: { body: message(1, () => v3RequestBody) }, from: wrap('body') })),
    responses: message(8, () => ({
      fields: {},
      extensions: 3,
      rest: { number: 2, value: () => v3ResponseOrReference },
    })),
    deprecated: bool(10),
  },
  extensions: 13,
};
const v3PathItem: MessageEncoding = {
  fields: {
    get: message(4, () => v3Operation),
    put: message(5, () => v3Operation),
    post: message(6, () => v3Operation),
    delete: message(7, () => v3Operation),
    options: message(8, () => v3Operation),
    head: message(9, () => v3Operation),
    patch: message(10, () => v3Operation),
    parameters: message(13, () => v3ParameterOrReference, true),
  },
  extensions: 14,
};
const v3Document: MessageEncoding = {
  fields: {
    openapi: string(1),
    info: message(2, () => info(6)),
    paths: message(4, () => ({ fields: {}, extensions: 2, rest: { number: 1, value: () => v3PathItem } })),
    components: message(5, () => ({ fields: { schemas: entries(1, () => v3SchemaOrReference) } })),
  },
  extensions: 9,
};
