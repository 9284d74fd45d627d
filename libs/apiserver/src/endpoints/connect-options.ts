import { formatGroupVersion, type GroupVersionKind, type KubeObject } from '@apichain/meta';
import type { Query } from '@apichain/request';
import type { Type } from '@apichain/scheme';

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
