import { mergeOpenApiV2, type OpenApiSource } from '@apichain/apiserver';
import { isJsonObject, parseJsonInSlices, pause, type JsonObject, type JsonValue } from '@apichain/meta';

/** The documents of an extension API server for one group-version. */
export interface RemoteDocuments {
  /** `apis/GROUP/VERSION` */
  readonly path: string;
  /** Changes when one of the documents changes. */
  readonly revision: string;
  readonly v2?: Buffer;
  readonly v3?: Buffer;
}

/** The last fetched OpenAPI documents of extension API servers, by the name of their APIService. */
export class RemoteOpenApi implements OpenApiSource {
  readonly #documents = new Map<string, RemoteDocuments>();

  get revision(): string {
    return JSON.stringify([...this.#documents].map(([name, { revision }]) => [name, revision]));
  }

  known(name: string): RemoteDocuments | undefined {
    return this.#documents.get(name);
  }

  set(name: string, documents: RemoteDocuments): void {
    this.#documents.set(name, documents);
  }

  remove(name: string): void {
    this.#documents.delete(name);
  }

  async v2(): Promise<JsonObject> {
    const documents: JsonObject[] = [];
    for (const { path, v2 } of [...this.#documents.values()]) {
      if (v2 === undefined) continue;
      documents.push(ofPath(await objectOf(v2), `/${path}/`));
      await pause();
    }
    return mergeOpenApiV2(documents);
  }

  v3Paths(): ReadonlyMap<string, string> {
    const paths = [...this.#documents.values()].filter(({ v3 }) => v3 !== undefined);
    return new Map(paths.map(({ path, revision }) => [path, revision]));
  }

  async v3(path: string): Promise<JsonObject> {
    const found = [...this.#documents.values()].find((documents) => documents.path === path);
    if (found?.v3 === undefined) throw new Error(`no extension API server has described ${path}`);
    return objectOf(found.v3);
  }
}

/** Parses in as many turns as the bytes need. Throws Error when they are not a JSON object. */
export async function objectOf(bytes: Buffer): Promise<JsonObject> {
  const { value } = await parseJsonInSlices(bytes);
  if (!isJsonObject(value)) throw new Error('an OpenAPI document is an object');
  return value;
}

/** The paths below a prefix and the definitions that they need. An extension API server may describe only its own paths. */
function ofPath(document: JsonObject, prefix: string): JsonObject {
  const own = Object.entries(members(document['paths'])).filter(([path]) => path.startsWith(prefix));
  const definitions = members(document['definitions']);
  const needed = new Set<string>();
  const collect = (value: JsonValue | undefined): void => {
    if (Array.isArray(value)) value.forEach(collect);
    if (!isJsonObject(value)) return;
    for (const [key, member] of Object.entries(value)) {
      const name = key === '$ref' && typeof member === 'string' ? member.replace(/^#\/definitions\//, '') : undefined;
      if (name === undefined) collect(member);
      else if (!needed.has(name)) {
        needed.add(name);
        collect(definitions[name]);
      }
    }
  };
  for (const [, operations] of own) collect(operations);
  return {
    ...document,
    paths: Object.fromEntries(own),
    definitions: Object.fromEntries(Object.entries(definitions).filter(([name]) => needed.has(name))),
  };
}

const members = (value: JsonValue | undefined): JsonObject => (isJsonObject(value) ? value : {});
