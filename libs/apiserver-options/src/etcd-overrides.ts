import type { GroupResource } from '@apichain/meta';
import { FlagError } from './flag.ts';
import type { ParsedFlags } from './parse-flags.ts';

/** A resource that is stored in a separate etcd; `*` means every resource of the group without a more specific override. */
export interface EtcdOverride extends GroupResource {
  readonly servers: readonly string[];
}

const flag = '--etcd-servers-overrides';
const invalid = `${flag} invalid, must be of format: group/resource#servers, where servers are URLs, semicolon separated`;

/**
 * Parses `--etcd-servers-overrides`, e.g. `/events#http://a:2379;http://b:2379`. Throws FlagError for another format. Source:
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
