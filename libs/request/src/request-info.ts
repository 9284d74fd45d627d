import { isStatusError, ownText, parseFieldSelector, parseLabelSelector, SelectorError } from '@apichain/meta';
import { noQuery, type Query } from './negotiation/query.ts';
import { longText } from './request-url.ts';

/** The path and query of a request, parsed once per request. After k8s.io/apiserver/pkg/endpoints/request.RequestInfo. */
export interface RequestInfo {
  readonly isResourceRequest: boolean;
  readonly path: string;
  /** get, list, watch, create, update, patch, delete, deletecollection, proxy; the lower-cased method for non-resource paths. */
  readonly verb: string;
  /** `api` or `apis`. */
  readonly apiPrefix: string;
  readonly apiGroup: string;
  readonly apiVersion: string;
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  /** The path segments starting with the resource. */
  readonly parts: readonly string[];
  /** The unparsed selectors of list, watch and deletecollection. */
  readonly fieldSelector: string;
  readonly labelSelector: string;
}

const verbByMethod: ReadonlyMap<string, string> = new Map([
  ['POST', 'create'],
  ['GET', 'get'],
  ['HEAD', 'get'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['DELETE', 'delete'],
]);
const noParts: readonly string[] = [];

/**
 * `path` is decoded and without the query.
 * Throws Error `unable to determine kind and namespace from url, ...` for paths such as `/api/v1/watch`.
 */
export function parseRequestInfo(method: string, path: string, query: Query = noQuery): RequestInfo {
  const segments = splitPath(path);
  const prefix = segments[0];
  const grouped = prefix === 'apis';
  if ((prefix !== 'api' && !grouped) || segments.length < (grouped ? 4 : 3)) return nonResourceInfo(method, path);

  const start = grouped ? 3 : 2;
  const special = segments[start] === 'watch' || segments[start] === 'proxy' ? segments[start] : undefined;
  if (special !== undefined && segments.length === start + 1) {
    throw new Error(`unable to determine kind and namespace from url, ${path}`);
  }
  const first = special === undefined ? start : start + 1;
  const { namespace, parts } = locate(segments, first);
  let verb = special ?? verbByMethod.get(method) ?? '';
  let name = parts[1] ?? '';
  const subresource = verb === 'proxy' ? '' : (parts[2] ?? '');

  if (name === '' && verb === 'get') {
    verb = query.boolean('watch') === true ? 'watch' : 'list';
    name = nameFromFieldSelector(query);
  } else if (name === '' && verb === 'delete') verb = 'deletecollection';

  const selects = special === undefined && (verb === 'list' || verb === 'watch' || verb === 'deletecollection');
  return {
    isResourceRequest: true,
    path,
    verb,
    apiPrefix: prefix,
    apiGroup: grouped ? (segments[1] ?? '') : '',
    apiVersion: segments[start - 1] ?? '',
    namespace,
    resource: parts[0] ?? '',
    subresource,
    name,
    parts,
    fieldSelector: selects ? query.text('fieldSelector') : '',
    labelSelector: selects ? query.text('labelSelector') : '',
  };
}

function nonResourceInfo(method: string, path: string): RequestInfo {
  return {
    isResourceRequest: false,
    path,
    verb: method.toLowerCase(),
    apiPrefix: '',
    apiGroup: '',
    apiVersion: '',
    namespace: '',
    resource: '',
    subresource: '',
    name: '',
    parts: noParts,
    fieldSelector: '',
    labelSelector: '',
  };
}

/** Splits off `namespaces/<name>/`, unless a subresource of the namespace itself follows. */
function locate(segments: readonly string[], first: number): { namespace: string; parts: readonly string[] } {
  if (segments[first] !== 'namespaces') return { namespace: '', parts: segments.slice(first) };
  const namespace = segments[first + 1] ?? '';
  const next = segments[first + 2];
  const moves = next !== undefined && next !== 'status' && next !== 'finalize';
  return { namespace, parts: segments.slice(moves ? first + 2 : first) };
}

/** `apis`, group, version, `watch`, `namespaces`, namespace, resource, name, subresource: caches and watches keep them longer than the request. */
const mostNames = 9;

/** Segments of a path, without the empty ones of leading and trailing slashes. */
function splitPath(path: string): string[] {
  let start = 0;
  let end = path.length;
  while (start < end && path.charCodeAt(start) === 47) start++;
  while (end > start && path.charCodeAt(end - 1) === 47) end--;
  if (start === end) return [];
  const segments = path.slice(start, end).split('/');
  if (path.length > longText)
    for (const [at, segment] of segments.slice(0, mostNames).entries()) segments[at] = ownText(segment);
  return segments;
}

/** The name in `metadata.name=x`, so that authorization sees it. Empty when there is none, or when an option cannot be parsed. */
function nameFromFieldSelector(query: Query): string {
  const selector = query.text('fieldSelector');
  if (!selector.includes('metadata.name')) return '';
  try {
    query.integer('limit');
    query.integer('timeoutSeconds');
    parseLabelSelector(query.text('labelSelector'));
    const name = parseFieldSelector(selector).requiresExactMatch('metadata.name') ?? '';
    return isPathSegmentName(name) ? name : '';
  } catch (error) {
    // The handler refuses the request for this later.
    if (error instanceof SelectorError || isStatusError(error)) return '';
    throw error;
  }
}

const isPathSegmentName = (name: string) => name !== '.' && name !== '..' && !name.includes('/') && !name.includes('%');

const longRunningSubresources: ReadonlySet<string> = new Set(['attach', 'exec', 'proxy', 'log', 'portforward']);

/** Requests that may last as long as the client wants: they have no deadline and do not count as in flight. */
export function isLongRunning(info: RequestInfo): boolean {
  if (!info.isResourceRequest) return /^\/debug\/(?:pprof|v8)\//.test(info.path);
  return info.verb === 'watch' || info.verb === 'proxy' || longRunningSubresources.has(info.subresource);
}
