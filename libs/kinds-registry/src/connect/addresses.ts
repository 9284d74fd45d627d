import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import { newBadRequest } from '@apichain/meta';

/** Addresses that are not global unicast addresses (Go's net.IP.IsGlobalUnicast). */
const own = new BlockList();
own.addAddress('0.0.0.0', 'ipv4');
own.addSubnet('127.0.0.0', 8, 'ipv4');
own.addSubnet('169.254.0.0', 16, 'ipv4');
own.addSubnet('224.0.0.0', 4, 'ipv4');
own.addAddress('255.255.255.255', 'ipv4');
own.addAddress('::', 'ipv6');
own.addAddress('::1', 'ipv6');
own.addSubnet('fe80::', 10, 'ipv6');
own.addSubnet('ff00::', 8, 'ipv6');

/** The API server does not connect clients to loopback or link-local addresses. Throws BadRequest, also when the text is not an address. */
export function checkAddress(address: string): void {
  const family = isIP(address);
  if (family === 0 || own.check(address, family === 6 ? 'ipv6' : 'ipv4')) throw newBadRequest('address not allowed');
}

/** Like checkAddress, for every address of a host name. Throws BadRequest when it has none. */
export async function checkHost(host: string): Promise<void> {
  for (const { address } of await addressesOf(host)) checkAddress(address);
}

async function addressesOf(host: string): Promise<readonly { readonly address: string }[]> {
  if (isIP(host) !== 0) return [{ address: host }];
  try {
    return await lookup(host, { all: true });
  } catch {
    throw newBadRequest(`lookup ${host}: no such host`);
  }
}
