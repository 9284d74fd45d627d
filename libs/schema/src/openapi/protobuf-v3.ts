import { BinaryWriter } from '@bufbuild/protobuf/wire';
import {
  Document,
  type DefaultType,
  type Info,
  type MediaTypes,
  type Operation,
  type ParameterOrReference,
  type PathItem,
  Paths,
  type Reference,
  type RequestBodyOrReference,
  type ResponseOrReference,
  type Schema,
  type SchemaOrReference,
  SchemasOrReferences,
} from './generated/openapiv3.ts';
import type { OpenApiDocument } from './openapi-types.ts';
import {
  any,
  bounds,
  byMethod,
  each,
  encodeNamed,
  extensions,
  flag,
  given,
  members,
  named,
  operationWords,
  text,
  withoutExtensions,
  type Json,
} from './protobuf-values.ts';

/** Encodes the v3 document as gnostic's openapi.v3.Document, in parts as in version 2. */
export async function encodeOpenApiV3({
  openapi,
  info,
  paths,
  components,
  ...rest
}: OpenApiDocument): Promise<Buffer<ArrayBuffer>> {
  const writer = new BinaryWriter();
  Document.encode({ openapi: text(openapi), info: given(info, infoOf) }, writer);
  if (paths !== undefined) {
    writer.uint32(pathsTag).fork();
    await encodeNamed(withoutExtensions(members(paths)), pathItemOf, (path) => Paths.encode({ path: [path] }, writer));
    Paths.encode({ specificationExtension: extensions(members(paths)) }, writer);
    writer.join();
  }
  if (components !== undefined) {
    writer.uint32(componentsTag).fork();
    const { schemas } = members(components);
    if (schemas !== undefined) {
      writer.uint32(schemasTag).fork();
      await encodeNamed(schemas, schemaOrReference, (schema) =>
        SchemasOrReferences.encode({ additionalProperties: [schema] }, writer),
      );
      writer.join();
    }
    writer.join();
  }
  Document.encode({ specificationExtension: extensions(rest) }, writer);
  return Buffer.from(writer.finish());
}

/** The fields `paths` (4) and `components` (5) of Document and `schemas` (1) of Components, with the wire type of messages. */
const pathsTag = 34;
const componentsTag = 42;
const schemasTag = 10;

function infoOf(value: unknown): Info {
  const json = members(value);
  return { title: text(json.title), version: text(json.version), specificationExtension: extensions(json) };
}

function pathItemOf(value: unknown): PathItem {
  const json = members(value);
  return {
    ...byMethod(json, operationOf),
    parameters: each(json.parameters, parameterOrReference),
    specificationExtension: extensions(json),
  };
}

function operationOf(value: unknown): Operation {
  const json = members(value);
  return {
    ...operationWords(json),
    parameters: each(json.parameters, parameterOrReference),
    requestBody: given(json.requestBody, requestBodyOf),
    responses: given(json.responses, (responses) => ({
      responseOrReference: named(withoutExtensions(members(responses)), responseOf),
      specificationExtension: extensions(members(responses)),
    })),
    specificationExtension: extensions(json),
  };
}

const isReference = (json: Json): boolean => '$ref' in json;
const referenceOf = (json: Json): Reference => ({
  ref: text(json.$ref),
  summary: text(json.summary),
  description: text(json.description),
});

function parameterOrReference(value: unknown): ParameterOrReference {
  const json = members(value);
  if (isReference(json)) return { reference: referenceOf(json) };
  return {
    parameter: {
      name: text(json.name),
      in: text(json.in),
      description: text(json.description),
      required: flag(json.required),
      schema: given(json.schema, schemaOrReference),
    },
  };
}

const mediaTypesOf = (content: unknown): MediaTypes => ({
  additionalProperties: named(content, (mediaType) => ({
    schema: given(members(mediaType).schema, schemaOrReference),
  })),
});

function requestBodyOf(value: unknown): RequestBodyOrReference {
  const { description, content, required } = members(value);
  return {
    requestBody: {
      description: text(description),
      content: given(content, mediaTypesOf),
      required: flag(required),
    },
  };
}

function responseOf(value: unknown): ResponseOrReference {
  const { description, content } = members(value);
  return { response: { description: text(description), content: given(content, mediaTypesOf) } };
}

function schemaOrReference(value: unknown): SchemaOrReference {
  const json = members(value);
  return isReference(json) ? { reference: referenceOf(json) } : { schema: schemaOf(json) };
}

function defaultOf(value: unknown): DefaultType {
  if (typeof value === 'number') return { number: value };
  if (typeof value === 'boolean') return { boolean: value };
  return typeof value === 'string' ? { string: value } : {};
}

function schemaOf(value: unknown): Schema {
  const json = members(value);
  return {
    nullable: flag(json.nullable),
    externalDocs: given(json.externalDocs, (docs) => {
      const { description, url } = members(docs);
      return { description: text(description), url: text(url), specificationExtension: extensions(members(docs)) };
    }),
    example: given(json.example, any),
    deprecated: flag(json.deprecated),
    title: text(json.title),
    ...bounds(json),
    type: text(json.type),
    allOf: each(json.allOf, schemaOrReference),
    oneOf: each(json.oneOf, schemaOrReference),
    anyOf: each(json.anyOf, schemaOrReference),
    not: given(json.not, schemaOf),
    items: given(json.items, (items) => ({ schemaOrReference: each(items, schemaOrReference) })),
    properties: given(json.properties, (properties) => ({
      additionalProperties: named(properties, schemaOrReference),
    })),
    additionalProperties: given(json.additionalProperties, (more) =>
      typeof more === 'boolean' ? { boolean: more } : { schemaOrReference: schemaOrReference(more) },
    ),
    default: given(json.default, defaultOf),
    description: text(json.description),
    format: text(json.format),
    specificationExtension: extensions(json),
  };
}
