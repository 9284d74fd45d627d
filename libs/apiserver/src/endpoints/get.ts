import { traceEvent } from '@apichain/client';
import { newBadRequest } from '@apichain/meta';
import { negotiateOutput, wireFormatsOf } from '@apichain/request';
import { resultDocument } from '../negotiation/result-document.ts';
import { writeDocument } from '@apichain/request';
import type { Getter } from '../registry/rest.ts';
import type { EndpointRequest, EndpointScope } from './scope.ts';

/** GET of one object. */
export async function getResource(scope: EndpointScope, storage: Getter, call: EndpointRequest): Promise<void> {
  const { ctx, request, response, query } = call;
  const output = negotiateOutput(request.headers.accept, scope.restrictions, wireFormatsOf(request));
  if (query.boolean('export') === true) {
    throw newBadRequest('the export parameter, deprecated since v1.14, is no longer supported');
  }
  traceEvent('About to Get from storage');
  const result = await storage.get(ctx, call.name, { resourceVersion: query.text('resourceVersion') });
  await writeDocument(request, response, 200, await resultDocument(scope, result, output, query), output, query);
}
