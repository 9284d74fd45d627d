import { FlagError } from './flag.ts';
import type { ParsedFlags } from './parse-flags.ts';

/** Events are numerous, rarely read, and expire after an hour. */
const uncachedByDefault = ['events', 'events.events.k8s.io'];

/**
 * The resources without a watch cache. By default these are events. In `--watch-cache-sizes`, 0 removes a cache and any other size adds one. `all`
 * with `--watch-cache=false`. Throws FlagError for a value that is not `resource.group#size`.
 */
export function uncachedResources(flags: ParsedFlags): ReadonlySet<string> | 'all' {
  if (!flags.bool('watch-cache')) return 'all';
  const uncached = new Set(uncachedByDefault);
  for (const setting of flags.strings('watch-cache-sizes')) {
    const [resource = '', size, ...rest] = setting.split('#');
    if (size === undefined || rest.length > 0) throw new FlagError(`invalid value of watch cache size: ${setting}`);
    if (!/^[+-]?\d+$/.test(size)) throw new FlagError(`invalid size of watch cache size: ${setting}`);
    if (Number(size) < 0) throw new FlagError(`watch cache size cannot be negative: ${setting}`);
    if (Number(size) === 0) uncached.add(resource);
    else uncached.delete(resource);
  }
  return uncached;
}
