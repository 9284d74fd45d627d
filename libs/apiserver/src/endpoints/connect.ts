import { newBadRequest } from '@apichain/meta';
import { negotiateOutput, plainRestrictions, wireFormatsOf } from '@apichain/request';
import { connectOptionsOf } from './connect-options.ts';
import type { Connecter } from '../registry/rest.ts';
import { admissionAttributes } from './admission.ts';
import type { EndpointRequest, EndpointScope } from './scope.ts';

/** exec, attach, portforward, log, proxy: after admission the storage takes over the connection. */
export async function connectResource(
  scope: EndpointScope,
  storage: Connecter,
  call: EndpointRequest,
  subpath: string,
): Promise<void> {
  const { admission } = scope.services;
  if (storage.readsOnly === true) {
    // As in Go, the Accept header is checked before the object is looked up, although it does not affect the text.
    negotiateOutput(call.request.headers.accept, plainRestrictions, wireFormatsOf(call.request));
    await storage.connect(call.ctx, call.name, subpath, call.request, call.response);
    return;
  }
  if ((call.query.all('dryRun')?.length ?? 0) > 0) throw newBadRequest('dryRun is not supported');
  if (admission !== undefined) {
    const { connectOptions: type } = storage;
    const object = type === undefined ? undefined : connectOptionsOf(type, scope.codec.kind, call.query, subpath);
    const attributes = admissionAttributes(scope, call, 'CONNECT', { ...(object && { object }), dryRun: false });
    await admission.admit(attributes);
    await admission.validate(attributes);
  }
  await storage.connect(call.ctx, call.name, subpath, call.request, call.response);
}
