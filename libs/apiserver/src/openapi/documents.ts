import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { isJsonObject, parseJsonInSlices, pause, stringifyJson, type JsonObject } from '@apichain/meta';

const compress = promisify(gzip);

/** Upper-case hexadecimal SHA-512. */
export const sha512 = (data: string | Buffer): string => createHash('sha512').update(data).digest('hex').toUpperCase();

/** One document with its encodings. Each encoding is made on first use and cached; the parsed form is not cached. */
export class EncodedDocument {
  readonly etag: string;
  /** In the format of the Last-Modified header. */
  readonly madeAt = new Date().toUTCString();
  readonly #load: () => Promise<JsonObject> | JsonObject;
  readonly #encode: (document: JsonObject) => Promise<Buffer>;
  #json: Promise<Buffer> | undefined;
  #protobuf: Promise<Buffer> | undefined;
  #zipped: Partial<Record<OpenApiForm, Promise<Buffer>>> = {};

  constructor(
    etag: string,
    load: () => Promise<JsonObject> | JsonObject,
    encodeProtobuf: (document: JsonObject) => Promise<Buffer>,
  ) {
    this.etag = etag;
    this.#load = load;
    this.#encode = encodeProtobuf;
  }

  bytes(form: OpenApiForm): Promise<Buffer> {
    return form === 'json' ? this.json() : this.#protobufBytes();
  }

  json(): Promise<Buffer> {
    this.#json ??= this.#makeJson();
    return this.#json;
  }

  async #makeJson(): Promise<Buffer> {
    const document = await this.#load();
    await pause();
    return Buffer.from(await jsonOf(document));
  }

  #protobufBytes(): Promise<Buffer> {
    this.#protobuf ??= this.#makeProtobuf();
    return this.#protobuf;
  }

  async #makeProtobuf(): Promise<Buffer> {
    const document =
      this.#json === undefined ? await this.#load() : asObject((await parseJsonInSlices(await this.#json)).value);
    await pause();
    return this.#encode(document);
  }

  zipped(form: OpenApiForm): Promise<Buffer> {
    const zip = async () => compress(await this.bytes(form), { level: 1 });
    return (this.#zipped[form] ??= zip());
  }
}

/** Casts a document to a JSON object. Throws Error for any other value. */
export function asObject(value: unknown): JsonObject {
  if (!isJsonObject(value)) throw new Error('not a JSON object');
  return value;
}

/** Nothing bounds the number of paths and definitions of a document: other requests are served between two of them. */
async function jsonOf(document: JsonObject): Promise<string> {
  const parts: string[] = [];
  for (const [name, part] of Object.entries(document)) {
    const members: string[] = [];
    for (const [key, member] of isJsonObject(part) ? Object.entries(part) : []) {
      await pause();
      members.push(`${stringifyJson(key)}:${stringifyJson(member)}`);
    }
    parts.push(`${stringifyJson(name)}:${isJsonObject(part) ? `{${members.join()}}` : stringifyJson(part)}`);
  }
  return `{${parts.join()}}`;
}

type OpenApiForm = 'json' | 'protobuf';

/** The representation that an Accept header requests, or undefined when it accepts neither. */
export function openApiForm(accept: string | undefined, version: 'v2' | 'v3'): OpenApiForm | undefined {
  const header = accept === undefined || accept.trim() === '' ? '*/*' : accept;
  for (const type of sortedTypes(header)) {
    if (type === '*/*' || type === 'application/*' || type === 'application/json') return 'json';
    if (type === `application/com.github.proto-openapi.spec.${version}.v1.0+protobuf`) return 'protobuf';
    if (type === `application/com.github.proto-openapi.spec.${version}@v1.0+protobuf`) return 'protobuf';
  }
  return undefined;
}

export const openApiContentType = (form: OpenApiForm, version: 'v2' | 'v3'): string =>
  form === 'json' ? 'application/json' : `application/com.github.proto-openapi.spec.${version}.v1.0+protobuf`;

function sortedTypes(header: string): string[] {
  const clauses = header.split(',').map((text) => {
    const [type = '', ...parameters] = text.split(';').map((part) => part.trim());
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    return { type, quality: weight === undefined ? 1 : Number(weight.slice(2)) };
  });
  return clauses.sort((a, b) => b.quality - a.quality).map(({ type }) => type);
}
