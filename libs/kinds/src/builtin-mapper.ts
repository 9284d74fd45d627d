import { RestMapper } from '@apichain/rest-mapper';
import { builtinGroupVersions } from './resources.ts';

/** Maps the built-in resources of every version, enabled or not, to their kinds, and kinds to resources. It is never extended at runtime. */
export const builtinMapper = new RestMapper();

for (const { resources } of builtinGroupVersions)
  for (const { info } of resources)
    builtinMapper.add({
      ...info.kind,
      resource: info.plural,
      singular: info.singular,
      scope: info.namespaced ? 'Namespaced' : 'Cluster',
      shortNames: info.shortNames,
    });
