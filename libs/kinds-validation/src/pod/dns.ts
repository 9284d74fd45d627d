import type { PodDNSConfig } from '@apichain/api/core/v1';
import { byteLength, field, isDNS1123SubdomainWithUnderscore } from '@apichain/meta';
import { isSet } from '@apichain/kinds';
import { checkEach, invalidEach, type Out, requiredText } from '../common/rules.ts';
import { legacyIpMessages } from '../service-cluster-ips.ts';

const mostNameservers = 3;
const mostSearches = 32;
const longestSearches = 2048;

function searchErrors(out: Out, path: string, searches: readonly string[]): void {
  if (searches.length > mostSearches) {
    out.push(field.invalid(path, searches, `must not have more than ${mostSearches} search paths`));
  }
  if (byteLength(searches.join(' ')) > longestSearches) {
    const detail = `must not have more than ${longestSearches} characters (including spaces) in the search list`;
    out.push(field.invalid(path, searches, detail));
  }
  checkEach(out, searches, (out, search, i) => {
    if (search === '.') return;
    const name = search.replace(/\.$/, '');
    invalidEach(out, `${path}[${i}]`, name, isDNS1123SubdomainWithUnderscore(name));
  });
}

/** Checks the DNS configuration of a pod. `policy` is its dnsPolicy. */
export function dnsConfigErrors(
  out: Out,
  path: string,
  config: PodDNSConfig | undefined,
  policy: string | undefined,
): void {
  const alone = policy === 'None';
  if (!isSet(config)) {
    if (alone) out.push(field.required(path, 'must provide `dnsConfig` when `dnsPolicy` is None'));
    return;
  }
  const { nameservers: servers = [], searches = [], options = [] } = config;
  const at = `${path}.nameservers`;
  if (alone && servers.length === 0) {
    out.push(field.required(at, 'must provide at least one DNS nameserver when `dnsPolicy` is None'));
  }
  if (servers.length > mostNameservers) {
    out.push(field.invalid(at, servers, `must not have more than ${mostNameservers} nameservers`));
  }
  checkEach(out, servers, (out, server, i) => invalidEach(out, `${at}[${i}]`, server, legacyIpMessages(server)));
  searchErrors(out, `${path}.searches`, searches);
  checkEach(out, options, (out, option, i) => {
    requiredText(out, `${path}.options[${i}]`, option.name, 'must not be empty');
  });
}
