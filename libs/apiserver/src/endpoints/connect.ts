import { newBadRequest, formatGroupVersion, type GroupVersionKind, type KubeObject } from '@apichain/meta';
import { negotiateOutput, plainRestrictions, wireFormatsOf, type Query } from '@apichain/request';
import type { Connecter } from '../registry/rest.ts';
import { admissionAttributes } from './admission.ts';
import type { EndpointRequest, EndpointScope } from './scope.ts';
import type { Type } from '@apichain/scheme';

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

/**
 * The query of a request that connects, as an object of its options type, such as PodExecOptions: what admission webhooks and policies see.
 * Zero values are omitted. It has no metadata, unlike other objects. `subpath` is what follows the subresource, which a proxy gets as `path`.
 * After getRequestOptions of k8s.io/apiserver/pkg/endpoints/handlers/get.go.
 */
export function connectOptionsOf(type: Type, kind: GroupVersionKind, query: Query, subpath: string): KubeObject {
  const options: Record<string, unknown> = { kind: kind.kind, apiVersion: formatGroupVersion(kind) };
  for (const field of type.fields ?? []) {
    if (field.name in options) continue;
    const value = field.name === 'path' ? pathText(subpath) : valueOf(field.type, field.name, query);
    if (value !== undefined) options[field.name] = value;
  }
  return options as KubeObject;
}

const pathText = (subpath: string): string | undefined => (subpath === '' ? undefined : `/${subpath}`);

/** The value of a parameter; undefined for a zero value, and for what is no number. Handlers refuse the latter. */
function valueOf(type: Type, name: string, query: Query): unknown {
  if (type.kind === 'boolean') return query.boolean(name) === true ? true : undefined;
  if (type.kind === 'string') return query.text(name) || undefined;
  if (type.kind === 'integer') return Number(query.text(name)) || undefined;
  const texts = type.kind === 'array' ? (query.all(name) ?? []) : [];
  const values = type.items?.kind === 'integer' ? texts.map(Number).filter(Number.isInteger) : texts;
  return values.length === 0 ? undefined : values;
}
