import { isMap, parse, parseDocument } from 'yaml';
import { request } from '../api/api.ts';
import type { StoredObject } from '../api/stored-object.ts';
import { groupVersionOf, pathOf, type Kind } from '../api/kinds.ts';

/** What a client needs of an object. */
interface Identified {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: { readonly name?: string; readonly namespace?: string };
}

export const readIdentity = (text: string): Identified =>
  (parse(text, { version: '1.1', merge: true }) ?? {}) as Identified;

/** The object of a YAML that the server has written. */
export const readObject = (text: string): StoredObject => parse(text, yamlVersion) as StoredObject;

/** The YAML of an object as the server writes it. */
export async function readManifest(path: string, signal: AbortSignal | null = null): Promise<string> {
  return (await request(path, { headers: { Accept: 'application/yaml' }, signal })).text();
}

/** As the server writes YAML: long lines are not folded, lists are not indented. */
export const yamlFormat = { lineWidth: 0, indentSeq: false, flowCollectionPadding: false } as const;
/** The version of YAML that the server reads. */
export const yamlVersion = { version: '1.1' } as const;

/** Leaves out `metadata.managedFields`, which nobody edits. The server keeps them when a write does not have them. */
export function withoutManagedFields(text: string): string {
  const document = parseDocument(text, yamlVersion);
  if (!document.hasIn(['metadata', 'managedFields'])) return text;
  document.deleteIn(['metadata', 'managedFields']);
  return document.toString(yamlFormat);
}

/** Whether two versions of an object differ only in what the server and controllers write: a draft need not care. */
export const isOfServer = (before: string, after: string): boolean => appliedPart(before) === appliedPart(after);

/** A manifest with which an object can be created again. */
export const withoutIdentity = (text: string): string => appliedPart(text);

/** How an edited object is written. */
export type Mode = 'update' | 'apply';

export const fieldManager = 'apichain-console';

interface Write {
  readonly text: string;
  readonly mode: Mode;
  readonly dryRun: boolean;
  /** For apply: takes over the fields of other managers. */
  readonly force?: boolean;
}

/**
 * Writes a manifest with the user's rights and returns the YAML of the result, with `dryRun` of what it would be. Throws ApiError when the server
 * refuses it. Unknown and repeated fields are errors.
 */
export async function write(path: string, { text, mode, dryRun, force = false }: Write): Promise<string> {
  const query = new URLSearchParams({ fieldManager, fieldValidation: 'Strict' });
  if (dryRun) query.set('dryRun', 'All');
  if (mode === 'apply' && force) query.set('force', 'true');
  const [method, type, body] =
    mode === 'apply'
      ? (['PATCH', 'application/apply-patch+yaml', appliedPart(text)] as const)
      : (['PUT', 'application/yaml', text] as const);
  return (await send(path, method, type, body, query)).text();
}

/** The same for an object that does not exist yet. */
export async function create(kind: Kind, namespace: string, text: string, dryRun: boolean): Promise<string> {
  const query = new URLSearchParams({ fieldManager, fieldValidation: 'Strict' });
  if (dryRun) query.set('dryRun', 'All');
  return (await send(pathOf(kind, namespace), 'POST', 'application/yaml', text, query)).text();
}

const send = (path: string, method: string, type: string, body: string, query: URLSearchParams) =>
  request(`${path}?${query.toString()}`, {
    method,
    headers: { 'Content-Type': type, Accept: 'application/yaml' },
    body,
  });

/** What one applies is the desired state: without what the server sets. */
function appliedPart(text: string): string {
  const document = parseDocument(text, yamlVersion);
  const { contents } = document;
  if (!isMap(contents)) return text;
  contents.delete('status');
  for (const name of ['managedFields', 'resourceVersion', 'uid', 'generation', 'creationTimestamp'])
    document.deleteIn(['metadata', name]);
  return document.toString(yamlFormat);
}

/** The beginning of a manifest. */
export const template = (kind: Kind, namespace: string): string =>
  [
    `apiVersion: ${groupVersionOf(kind)}`,
    `kind: ${kind.kind}`,
    'metadata:',
    '  name: ',
    ...(kind.namespaced ? [`  namespace: ${namespace === '' ? 'default' : namespace}`] : []),
    '',
  ].join('\n');
