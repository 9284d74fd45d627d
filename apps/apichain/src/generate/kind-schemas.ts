import { readFileSync } from 'node:fs';
import { isRecord, list, objectsOfManifest, record, records, type KubeObject } from '@apichain/meta';
import type { RestClient } from '@apichain/client';

/** A kind in one version, and what is known of its objects. */
export interface KindSchema {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly resource: string;
  readonly namespaced: boolean;
  /** A schema of OpenAPI v3. */
  readonly schema: unknown;
}

/** The kinds of a group-version, and the schemas to which theirs refer. */
export interface SchemaDocument {
  readonly kinds: readonly KindSchema[];
  readonly components: Readonly<Record<string, unknown>>;
}

/**
 * The kinds of CustomResourceDefinitions in files of YAML or JSON, in all versions that are served. Other objects are passed over. Throws Error with the
 * file for what cannot be read, and if there is no definition in it.
 */
export function kindsOfFiles(files: readonly string[]): SchemaDocument[] {
  return files.flatMap((file) => {
    const objects = objectsOfManifest(readFileSync(file, 'utf8'), file);
    const definitions = objects.filter(({ kind }) => kind === 'CustomResourceDefinition');
    if (definitions.length === 0) throw new Error(`${file}: there is no CustomResourceDefinition`);
    return definitions.map((definition) => ({ kinds: kindsOfDefinition(definition, file), components: {} }));
  });
}

function kindsOfDefinition({ apiVersion, metadata, spec }: KubeObject, file: string): KindSchema[] {
  const where = `${file}: ${metadata.name ?? ''}`;
  if (apiVersion !== 'apiextensions.k8s.io/v1')
    throw new Error(`${where}: ${apiVersion} is not apiextensions.k8s.io/v1`);
  const fields = record(spec);
  const names = record(fields['names']);
  const nameOf = (of: Readonly<Record<string, unknown>>, member: string): string => {
    const value = of[member];
    if (typeof value !== 'string' || value === '') throw new Error(`${where}: ${member} is missing`);
    return value;
  };
  const versions = records(fields['versions']).filter(({ served }) => served === true);
  if (versions.length === 0) throw new Error(`${where}: no version is served`);
  return versions.map((version) => {
    const schema = record(version['schema'])['openAPIV3Schema'];
    if (!isRecord(schema)) throw new Error(`${where}: the version ${nameOf(version, 'name')} has no schema`);
    return {
      group: nameOf(fields, 'group'),
      version: nameOf(version, 'name'),
      kind: nameOf(names, 'kind'),
      resource: nameOf(names, 'plural'),
      namespaced: fields['scope'] === 'Namespaced',
      schema,
    };
  });
}

/**
 * The kinds of some groups of a server, from its OpenAPI v3 documents. Throws Error for a group that the server does not serve, and the errors of requests.
 * https://kubernetes.io/docs/concepts/overview/kubernetes-api/#openapi-v3
 */
export async function kindsOfServer(
  client: RestClient,
  isWanted: (group: string) => boolean,
): Promise<SchemaDocument[]> {
  const paths = record(record(await client.request('GET', '/openapi/v3'))['paths']);
  const documents: SchemaDocument[] = [];
  for (const path of Object.keys(paths).sort()) {
    const [, group = '', version] = /^api(?:s\/([^/]+))?\/([^/]+)$/.exec(path) ?? [];
    if (version === undefined || !isWanted(group)) continue;
    const document = record(
      await client.request('GET', `/openapi/v3/${path.split('/').map(encodeURIComponent).join('/')}`),
    );
    documents.push(kindsOfDocument(document, group, version));
  }
  return documents;
}

/** The resources of a document: the kinds of the objects that can be read at a path of one object. */
function kindsOfDocument(document: Readonly<Record<string, unknown>>, group: string, version: string): SchemaDocument {
  const components = record(record(document['components'])['schemas']);
  const prefix = group === '' ? `/api/${version}/` : `/apis/${group}/${version}/`;
  const found = new Map<string, KindSchema>();
  for (const [path, operations] of Object.entries(record(document['paths']))) {
    if (!path.startsWith(prefix)) continue;
    const [, inNamespace, resource] =
      /^(namespaces\/\{namespace\}\/)?([^/{}]+)\/\{name\}$/.exec(path.slice(prefix.length)) ?? [];
    const kind = record(record(record(operations)['get'])['x-kubernetes-group-version-kind'])['kind'];
    if (resource === undefined || typeof kind !== 'string') continue;
    const schema = schemaOf(components, { group, version, kind });
    if (schema === undefined) continue;
    found.set(resource, { group, version, kind, resource, namespaced: inNamespace !== undefined, schema });
  }
  return { kinds: [...found.values()], components };
}

function schemaOf(
  components: Readonly<Record<string, unknown>>,
  { group, version, kind }: Pick<KindSchema, 'group' | 'version' | 'kind'>,
): unknown {
  return Object.values(components).find((schema) => {
    const kinds = list(record(schema)['x-kubernetes-group-version-kind']).map((one) => record(one));
    return kinds.some((one) => one['group'] === group && one['version'] === version && one['kind'] === kind);
  });
}
