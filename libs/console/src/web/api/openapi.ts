import { getJson } from './api.ts';

/** A schema of OpenAPI 3.0 as the API publishes it: https://kubernetes.io/docs/concepts/overview/kubernetes-api/#openapi-v3 */
export interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-group-version-kind'?: readonly GroupVersionKind[];
}

interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

interface Index {
  readonly paths: Readonly<Record<string, { readonly serverRelativeURL: string }>>;
}

export interface OpenApiDocument {
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
  readonly paths?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Documents that are kept; those of other group-versions are read again. */
const maxDocuments = 16;
const documents = new Map<string, Promise<OpenApiDocument>>();

const documentName = (groupVersion: string): string =>
  groupVersion.includes('/') ? `apis/${groupVersion}` : `api/${groupVersion}`;

/** The group-versions that have documents: `v1`, `apps/v1`. */
export async function groupVersions(): Promise<readonly string[]> {
  const { paths } = await getJson<Index>('/openapi/v3');
  return Object.keys(paths)
    .filter((path) => /^apis?\/.*v\d/.test(path))
    .map((path) => path.replace(/^apis?\//, ''))
    .sort((a, b) => Number(a.includes('/')) - Number(b.includes('/')) || (a < b ? -1 : 1));
}

/** The document of a group-version. The index is asked first: its URL has the hash of the document, so that browsers may keep it. */
export function openApiOf(groupVersion: string): Promise<OpenApiDocument> {
  const known = documents.get(groupVersion);
  if (known !== undefined) return known;
  const [oldest] = documents.keys();
  if (documents.size >= maxDocuments && oldest !== undefined) documents.delete(oldest);
  const loading = load(groupVersion);
  documents.set(groupVersion, loading);
  loading.catch(() => documents.delete(groupVersion));
  return loading;
}

async function load(groupVersion: string): Promise<OpenApiDocument> {
  const { paths } = await getJson<Index>('/openapi/v3');
  const url = paths[documentName(groupVersion)]?.serverRelativeURL;
  if (url === undefined) throw new Error(`the API publishes no schema of ${groupVersion}`);
  return getJson<OpenApiDocument>(url);
}

/** Forgets the document of a group-version, because a definition of its resources may have changed. */
export const forgetOpenApi = (groupVersion: string): boolean => documents.delete(groupVersion);

/** The kinds of objects in a document with their schemas, by kind. Kinds of options and of events are left out. */
export function kindsOf(document: OpenApiDocument, groupVersion: string): ReadonlyMap<string, Schema> {
  const slash = groupVersion.indexOf('/');
  const group = slash < 0 ? '' : groupVersion.slice(0, slash);
  const version = groupVersion.slice(slash + 1);
  const found = new Map<string, Schema>();
  for (const schema of Object.values(document.components?.schemas ?? {}))
    for (const named of schema['x-kubernetes-group-version-kind'] ?? [])
      if (named.group === group && named.version === version && isOfObject(schema)) found.set(named.kind, schema);
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

const isOfObject = ({ properties = {} }: Schema): boolean =>
  'apiVersion' in properties && 'kind' in properties && 'metadata' in properties && !isOfList(properties);

const isOfList = ({ metadata, items }: Readonly<Record<string, Schema>>): boolean =>
  items?.type === 'array' && JSON.stringify(metadata).includes('ListMeta');

/** The schema behind references. A schema that combines one reference with a description keeps the description. */
export function resolve(document: OpenApiDocument, schema: Schema): Schema {
  let current = schema;
  // A document cannot refer in circles without a property between, but a broken one must not hang the page.
  for (let depth = 0; depth < 8; depth++) {
    const ref: string | undefined = current.$ref ?? current.allOf?.[0]?.$ref;
    if (ref === undefined) break;
    const target = document.components?.schemas?.[ref.replace('#/components/schemas/', '')];
    if (target === undefined) break;
    const { description, default: byDefault } = current;
    current = {
      ...target,
      ...(description === undefined ? {} : { description }),
      ...(byDefault === undefined ? {} : { default: byDefault }),
    };
  }
  return current;
}

/** `[]string`, `map[string]Quantity`, `object`: the type of a field in a few characters. */
export function typeName(document: OpenApiDocument, schema: Schema): string {
  const { type, format, items, additionalProperties, ...rest } = resolve(document, schema);
  if (rest['x-kubernetes-int-or-string'] === true || format === 'int-or-string') return 'int or string';
  if (type === 'array' && items !== undefined) return `[]${typeName(document, items)}`;
  if (type === 'object' && typeof additionalProperties === 'object')
    return `map[string]${typeName(document, additionalProperties)}`;
  const ref = schema.$ref ?? schema.allOf?.[0]?.$ref;
  if (type === 'object' && ref !== undefined) return ref.slice(ref.lastIndexOf('.') + 1);
  if (type === undefined) return rest.oneOf === undefined ? 'any' : (ref?.slice(ref.lastIndexOf('.') + 1) ?? 'any');
  return format === undefined ? type : `${type} (${format})`;
}
