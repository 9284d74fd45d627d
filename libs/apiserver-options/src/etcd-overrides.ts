import type { GroupResource } from '@apichain/meta';
import { FlagError } from './flag.ts';
import type { ParsedFlags } from './parse-flags.ts';

/** A resource that lies in an etcd of its own; `*` is every resource of the group for which nothing else is said. */
export interface EtcdOverride extends GroupResource {
  readonly servers: readonly string[];
}

const flag = '--etcd-servers-overrides';
const invalid = `${flag} invalid, must be of format: group/resource#servers, where servers are URLs, semicolon separated`;

/**
 * What `--etcd-servers-overrides` says, e.g. `/events#http://a:2379;http://b:2379`. Throws FlagError for what has not that form. Source:
 * staging/src/k8s.io/apiserver/pkg/server/options/etcd.go of kubernetes 1.36.
 */
export function etcdOverrides(flags: ParsedFlags): readonly EtcdOverride[] {
  return flags.strings('etcd-servers-overrides').map((text) => {
    const [place = '', list = '', ...rest] = text.split('#');
    const [group = '', resource, ...deeper] = place.split('/');
    const servers = list.split(';');
    if (resource === undefined || rest.length > 0 || deeper.length > 0 || servers.includes(''))
      throw new FlagError(invalid);
    return { group, resource, servers };
  });
}
