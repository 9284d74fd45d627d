import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { isIP, isIPv6 } from 'node:net';
import { errorMessage } from '@apichain/meta';
import { RegistrationError } from './registration-error.ts';

const lookupTimeoutMs = 10_000;
/** Any port will do: no packet is sent. */
const discardPort = 9;

/**
 * The host under which the API server reaches a server of this machine that listens on `bindAddress`: this address itself or, if the server
 * listens on all addresses, the one from which this machine connects to the API server. Throws RegistrationError when there is no such
 * address.
 */
export async function ownAddress(bindAddress: string, apiServerUrl: string): Promise<string> {
  if (!isUnspecified(bindAddress)) return bindAddress;
  const host = hostOf(apiServerUrl);
  try {
    return await sourceAddress(isIP(host) === 0 ? await addressOf(host) : host);
  } catch (error) {
    const why = errorMessage(error);
    throw new RegistrationError(
      `cannot find the address of this machine on the way to ${apiServerUrl}: ${why}; name it with --register-address`,
    );
  }
}

/** The host of a URL, without the brackets of an IPv6 address. */
export const hostOf = (url: string): string => new URL(url).hostname.replace(/^\[|\]$/g, '');

/** Whether the address stands for all addresses of the machine. */
const isUnspecified = (address: string): boolean =>
  address === '' || address === '0.0.0.0' || (isIPv6(address) && new URL(`http://[${address}]`).hostname === '[::]');

async function addressOf(host: string): Promise<string> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no address of ${host} within 10 s`)), lookupTimeoutMs);
  try {
    return (await Promise.race([lookup(host), promise])).address;
  } finally {
    clearTimeout(timer);
  }
}

/** A connected UDP socket has the source address that the routing table gives to its packets. */
async function sourceAddress(destination: string): Promise<string> {
  const socket = createSocket(isIPv6(destination) ? 'udp6' : 'udp4');
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.connect(discardPort, destination, resolve);
    });
    return socket.address().address;
  } finally {
    socket.close();
  }
}
