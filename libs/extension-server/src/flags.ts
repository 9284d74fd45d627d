import { extensionServerFlags, type FlagDefinition } from '@apichain/apiserver-options';
import { delegationFlags } from './core-api/index.ts';
import { registrationFlags } from './registration/flags.ts';
import { storeFlags } from './store.ts';

/** Every flag of an extension API server. Source: RecommendedOptions of k8s.io/apiserver/pkg/server/options 1.36. */
export const apiServerFlags: readonly FlagDefinition[] = extensionServerFlags([
  {
    name: 'secure-port',
    type: 'int',
    default: '443',
    section: 'Secure serving',
    usage: 'The port on which to serve HTTPS.',
  },
  {
    name: 'etcd-servers-overrides',
    type: 'strings',
    section: 'Etcd',
    usage:
      'Per-resource etcd servers, as group/resource#servers, servers separated by semicolons, e.g. water.example.com/tanks#http://etcd4:2379;http://etcd5:2379.',
  },
  {
    name: 'watch-cache-sizes',
    type: 'strings',
    section: 'Etcd',
    usage: 'Whether resources have a watch cache, as resource.group#size: 0 = none.',
  },
  {
    name: 'lease-reuse-duration-seconds',
    type: 'int',
    default: '60',
    section: 'Etcd',
    usage: 'No resource of an extension API server has leases.',
    effectIn: [],
  },
  ...delegationFlags,
  ...storeFlags,
  ...registrationFlags,
]);
