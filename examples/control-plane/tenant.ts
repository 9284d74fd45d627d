import type { KubeObject, ResourceReference } from '@apichain/client/library';

/** A customer with a namespace of the same name. The kind is defined by config/crd.json. */
export interface Tenant extends KubeObject {
  /** The user who administers the namespace, and how many ConfigMaps it may hold. */
  spec: { owner: string; configMaps: number };
  status?: { observedGeneration: number };
}

export const tenants: ResourceReference<Tenant> = { group: 'example.com', version: 'v1', resource: 'tenants' };
