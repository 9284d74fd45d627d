import type { Methods, Endpoint } from '../endpoints/endpoint.ts';
import { noMethods, type InstalledResource } from './installed-resources.ts';

/** The part of a path behind the group-version, e.g. `namespaces/ns/pods/a/log`. */
interface ResourcePath {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  /** Whether there is a segment for the name, which may be empty. */
  readonly named: boolean;
  readonly subresource: string;
  readonly subpath: string;
  /** Whether this is the deprecated watch by path, `watch/...`. */
  readonly watch: boolean;
  /** Whether the path had `namespaces/<name>/` before the resource. */
  readonly inNamespace: boolean;
}

const slash = 47;

/**
 * Parses the part of a path behind the group-version, which begins at `prefixLength`. Returns undefined for paths that cannot be a
 * resource path. Names may be empty, as in routes of go-restful.
 */
export function parseResourcePath(
  path: string,
  prefixLength: number,
  resources: ReadonlyMap<string, InstalledResource>,
): ResourcePath | undefined {
  let end = path.length;
  while (path.charCodeAt(end - 1) === slash) end--;
  let segments = path.slice(prefixLength, end).split('/');
  const watch = segments[0] === 'watch';
  if (watch) segments = segments.slice(1);
  const [first = '', second = '', third] = segments;
  // `namespaces/ns/status` is a subresource of the namespace, `namespaces/ns/pods` is a resource in it.
  const isNamespaceSubresource = third !== undefined && resources.get('namespaces')?.subresources.has(third) === true;
  if (first === 'namespaces' && third !== undefined && !(segments.length === 3 && isNamespaceSubresource)) {
    const [, , resource = '', name = '', subresource = '', ...rest] = segments;
    if (subresource === '' && rest.length > 0) return undefined;
    const named = segments.length > 3;
    return { resource, namespace: second, name, named, subresource, subpath: rest.join('/'), watch, inNamespace: true };
  }
  const [resource = '', name = '', subresource = '', ...rest] = segments;
  if (subresource === '' && rest.length > 0) return undefined;
  const namespace = resource === 'namespaces' ? name : '';
  const named = segments.length > 1;
  return { resource, namespace, name, named, subresource, subpath: rest.join('/'), watch, inNamespace: false };
}

/** The endpoint's handlers for such a path; empty if the path is not valid for the resource. Across all namespaces only reads are possible. */
export function methodsAt(path: ResourcePath, endpoint: Endpoint, { namespaced }: InstalledResource): Methods {
  const { named, subresource, inNamespace, watch } = path;
  const acrossNamespaces = namespaced && !inNamespace;
  if (watch) return subresource === '' && !(acrossNamespaces && named) ? endpoint.watch : noMethods;
  if (!named) return acrossNamespaces ? endpoint.collectionOfAll : endpoint.collection;
  return acrossNamespaces ? noMethods : endpoint.named;
}
