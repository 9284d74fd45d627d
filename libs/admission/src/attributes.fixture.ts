import type { GroupResource, KubeObject } from '@apichain/meta';
import type { ObjectLookup } from './object-lookup.ts';
import type { AdmissionAttributes } from './plugin.ts';

/** Attributes of a CREATE of pod `a` in namespace `ns`, for tests. `more` overrides single attributes. */
export function testAttributes(more: Partial<AdmissionAttributes> = {}): AdmissionAttributes {
  return {
    operation: 'CREATE',
    kind: { group: '', version: 'v1', kind: 'Pod' },
    resource: { group: '', version: 'v1', resource: 'pods' },
    subresource: '',
    namespace: 'ns',
    name: more.object?.metadata.name ?? 'a',
    dryRun: false,
    user: { name: 'u', uid: '', groups: [], extra: {} },
    warn: () => undefined,
    ...more,
  };
}

/** The same for another resource. */
export const testAttributesOf = (
  resource: GroupResource,
  object: KubeObject,
  more: Partial<AdmissionAttributes> = {},
): AdmissionAttributes =>
  testAttributes({
    kind: { group: resource.group, version: 'v1', kind: object.kind },
    resource: { ...resource, version: 'v1' },
    object,
    ...more,
  });

export const testPod = (
  spec: Record<string, unknown> = {},
  metadata: KubeObject['metadata'] = { name: 'a' },
): KubeObject => ({ apiVersion: 'v1', kind: 'Pod', metadata, spec });

/** A lookup over the given objects, by plural name. */
export function testLookup(objects: Readonly<Record<string, readonly KubeObject[]>> = {}): ObjectLookup {
  const inNamespace = (resource: GroupResource, namespace: string) =>
    (objects[resource.resource] ?? []).filter((object) => (object.metadata.namespace ?? '') === namespace);
  const get = (resource: GroupResource, namespace: string, name: string) =>
    Promise.resolve(inNamespace(resource, namespace).find((object) => object.metadata.name === name));
  return {
    get,
    live: get,
    created: get,
    list: (resource, namespace) => Promise.resolve(inNamespace(resource, namespace)),
  };
}
