// Made by `apichain generate types`. Do not edit.

import type { KindReference, ObjectMeta } from 'apichain/client';

export type Tenant = {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec: TenantSpec;
  status?: TenantStatus;
};

export type TenantSpec = {
  /** The user who administers the namespace of the tenant. */
  owner: string;
  /** How many ConfigMaps the namespace may hold. */
  configMaps?: number;
};

export type TenantStatus = {
  observedGeneration?: number;
};

export const Tenant: KindReference<Tenant> = {
  group: 'example.com',
  version: 'v1',
  kind: 'Tenant',
  resource: 'tenants',
  namespaced: false,
};
