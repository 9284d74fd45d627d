import { lookupTable } from '@apichain/meta';

/** Resources whose directory does not have the name of the resource, for historical reasons. */
const overrides: Readonly<Record<string, string>> = lookupTable({
  replicationcontrollers: '/controllers',
  endpoints: '/services/endpoints',
  services: '/services/specs',
  nodes: '/minions',
  ingresses: '/ingress',
});

/** The directory of a built-in resource's objects in etcd, relative to the prefix, without a trailing slash. It does not contain the group. */
export const storagePath = (plural: string): string => overrides[plural] ?? `/${plural}`;
