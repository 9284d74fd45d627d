import { traceEvent } from '@apichain/client';
import { escapeFieldValue, newBadRequest, newMethodNotSupported } from '@apichain/meta';
import { negotiateOutput, wireFormatsOf } from '@apichain/request';
import { readListOptions } from '../negotiation/request-options.ts';
import { listDocument } from '../negotiation/result-document.ts';
import { writeDocument } from '@apichain/request';
import { resolveFieldSelector } from '../registry/predicate.ts';
import type { Lister, ListOptions, ResourceStorage, Watcher } from '../registry/rest.ts';
import type { EndpointRequest, EndpointScope } from './scope.ts';
import { watchResource } from './watch.ts';

const isWatcher = (storage: ResourceStorage): storage is Watcher => 'watch' in storage;

/** Adds a selector for the object that the request path names, as in `/watch/.../<name>`. Throws BadRequest. */
function selectName(options: ListOptions, name: string, storage: ResourceStorage): ListOptions {
  const selector = resolveFieldSelector(options.fieldSelector, storage.convertFieldLabel);
  if (selector.empty) return { ...options, fieldSelector: `metadata.name=${escapeFieldValue(name)}` };
  if (selector.requiresExactMatch('metadata.name') !== name) {
    throw newBadRequest("fieldSelector metadata.name doesn't match requested name");
  }
  return options;
}

/** GET of a collection: a list, or a watch if the query or the path requests one. */
export async function listResource(
  scope: EndpointScope,
  storage: Lister | undefined,
  call: EndpointRequest,
  forceWatch: boolean,
): Promise<void> {
  const { ctx, request, response, query } = call;
  const output = negotiateOutput(request.headers.accept, scope.restrictions, wireFormatsOf(request));
  const { options: given, watch } = readListOptions(query);
  const options = call.name === '' ? given : selectName(given, call.name, scope.storage);
  const { group, resource } = scope.resource;
  if (watch || forceWatch) {
    if (!isWatcher(scope.storage)) throw newMethodNotSupported({ group, resource }, 'watch');
    return watchResource(scope, scope.storage, call, options);
  }
  if (storage === undefined) throw newMethodNotSupported({ group, resource }, 'list');
  traceEvent('About to List from storage');
  const list = await storage.list(ctx, options);
  traceEvent('Listing from storage done');
  await writeDocument(request, response, 200, listDocument(scope, list, output, query), output, query);
}
