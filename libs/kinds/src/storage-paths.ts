import { lookupTable } from '@apichain/meta';

/** Resources whose objects lie elsewhere than under their own name, for reasons of history. */
const overrides: Readonly<Record<string, string>> = lookupTable({
  replicationcontrollers: '/controllers',
  endpoints: '/services/endpoints',
  services: '/services/specs',
  nodes: '/minions',
  ingresses: '/ingress',
});

/** The directory of a built-in resource's objects in etcd, below the prefix option, without a closing slash. The group is not in it. */
export const storagePath = (plural: string): string => overrides[plural] ?? `/${plural}`;
