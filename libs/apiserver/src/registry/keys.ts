import { isValidPathSegmentName, newBadRequest } from '@apichain/meta';
import { goQuote } from '@apichain/go-text';
import type { RequestContext } from '@apichain/request';

/** The key layout of a resource: `<prefix>/[<namespace>/]<name>`, prefix without a trailing slash. */
export interface KeyLayout {
  readonly prefix: string;
  readonly namespaced: boolean;
}

/** The part of a request context that decides the key. */
export interface InNamespace {
  readonly requestInfo: Pick<RequestContext['requestInfo'], 'namespace'>;
}

/**
 * The key of one object. Throws BadRequest for names that cannot be a path segment.
 * Source: NamespaceKeyFunc and NoNamespaceKeyFunc of k8s.io/apiserver/pkg/registry/generic/registry.
 */
export function objectKey(layout: KeyLayout, ctx: InNamespace, name: string): string {
  const { namespace } = ctx.requestInfo;
  if (layout.namespaced && namespace === '') throw newBadRequest('Namespace parameter required.');
  if (name === '') throw newBadRequest('Name parameter required.');
  const problems = isValidPathSegmentName(name);
  if (problems.length > 0) throw newBadRequest(`Name parameter invalid: ${goQuote(name)}: ${problems.join(';')}`);
  if (!layout.namespaced) return `${layout.prefix}/${name}`;
  return `${layout.prefix}/${namespace}/${name}`;
}

/** The key prefix of a list: all objects, or those of the request's namespace. Ends with a slash. */
export function directoryKey(layout: KeyLayout, ctx: RequestContext): string {
  const namespace = layout.namespaced ? ctx.requestInfo.namespace : '';
  return namespace === '' ? `${layout.prefix}/` : `${layout.prefix}/${namespace}/`;
}
