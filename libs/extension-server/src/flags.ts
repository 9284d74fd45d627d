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
  ...delegationFlags,
  ...storeFlags,
  ...registrationFlags,
]);
