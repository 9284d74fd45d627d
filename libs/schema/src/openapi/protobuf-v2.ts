import { BinaryWriter } from '@bufbuild/protobuf/wire';
import {
  Definitions,
  Document,
  type BodyParameter,
  type Info,
  type ItemsItem,
  type NonBodyParameter,
  type Operation,
  type Parameter,
  type ParametersItem,
  type PathItem,
  Paths,
  type ResponseValue,
  type Schema,
} from './generated/openapiv2.ts';
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
  texts,
  withoutExtensions,
} from './protobuf-values.ts';

/**
 * Encodes the v2 document as gnostic's openapi.v2.Document, which kubectl requests. The parts of a message that are encoded one after the other are the
 * encoding of the whole message.
 */
export async function encodeOpenApiV2({
  swagger,
  info,
  paths,
  definitions,
  ...rest
}: OpenApiDocument): Promise<Buffer<ArrayBuffer>> {
  const writer = new BinaryWriter();
  Document.encode({ swagger: text(swagger), info: given(info, infoOf) }, writer);
  if (paths !== undefined) {
    writer.uint32(pathsTag).fork();
    Paths.encode({ vendorExtension: extensions(members(paths)) }, writer);
    await encodeNamed(withoutExtensions(members(paths)), pathItemOf, (path) => Paths.encode({ path: [path] }, writer));
    writer.join();
  }
  if (definitions !== undefined) {
    writer.uint32(definitionsTag).fork();
    await encodeNamed(definitions, schemaOf, (definition) =>
      Definitions.encode({ additionalProperties: [definition] }, writer),
    );
    writer.join();
  }
  Document.encode({ vendorExtension: extensions(rest) }, writer);
  return Buffer.from(writer.finish());
}

/** The fields `paths` (8) and `definitions` (9) of Document, with the wire type of messages. */
const pathsTag = 66;
const definitionsTag = 74;

function infoOf(value: unknown): Info {
  const json = members(value);
  return { title: text(json.title), version: text(json.version), vendorExtension: extensions(json) };
}

function pathItemOf(value: unknown): PathItem {
  const json = members(value);
  return {
    ...byMethod(json, operationOf),
    parameters: each(json.parameters, parametersItemOf),
    vendorExtension: extensions(json),
  };
}

function operationOf(value: unknown): Operation {
  const json = members(value);
  return {
    ...operationWords(json),
    produces: texts(json.produces),
    consumes: texts(json.consumes),
    parameters: each(json.parameters, parametersItemOf),
    responses: given(json.responses, (responses) => ({
      responseCode: named(withoutExtensions(members(responses)), responseOf),
      vendorExtension: extensions(members(responses)),
    })),
    schemes: texts(json.schemes),
    vendorExtension: extensions(json),
  };
}

const parametersItemOf = (value: unknown): ParametersItem => ({ parameter: parameterOf(value) });

function parameterOf(value: unknown): Parameter {
  return members(value).in === 'body'
    ? { bodyParameter: bodyParameterOf(value) }
    : { nonBodyParameter: nonBodyParameterOf(value) };
}

function bodyParameterOf(value: unknown): BodyParameter {
  const json = members(value);
  return {
    description: text(json.description),
    name: text(json.name),
    in: text(json.in),
    required: flag(json.required),
    schema: given(json.schema, schemaOf),
  };
}

function nonBodyParameterOf(value: unknown): NonBodyParameter {
  const json = members(value);
  const parameter = {
    required: flag(json.required),
    in: text(json.in),
    description: text(json.description),
    name: text(json.name),
    type: text(json.type),
    format: text(json.format),
    uniqueItems: flag(json.uniqueItems),
  };
  if (parameter.in === 'query') return { queryParameterSubSchema: parameter };
  return parameter.in === 'path' ? { pathParameterSubSchema: parameter } : {};
}

function responseOf(value: unknown): ResponseValue {
  const { description, schema } = members(value);
  return {
    response: {
      description: text(description),
      schema: given(schema, (present) => ({ schema: schemaOf(present) })),
    },
  };
}

function schemaOf(value: unknown): Schema {
  const json = members(value);
  return {
    ref: text(json.$ref),
    format: text(json.format),
    title: text(json.title),
    description: text(json.description),
    default: given(json.default, any),
    ...bounds(json),
    additionalProperties: given(json.additionalProperties, (more) =>
      typeof more === 'boolean' ? { boolean: more } : { schema: schemaOf(more) },
    ),
    type: given(json.type, (type) => ({ value: texts(type) })),
    items: given(json.items, (items): ItemsItem => ({ schema: each(items, schemaOf) })),
    allOf: each(json.allOf, schemaOf),
    properties: given(json.properties, (properties) => ({ additionalProperties: named(properties, schemaOf) })),
    externalDocs: given(json.externalDocs, (docs) => {
      const { description, url } = members(docs);
      return { description: text(description), url: text(url), vendorExtension: extensions(members(docs)) };
    }),
    example: given(json.example, any),
    vendorExtension: extensions(json),
  };
}
