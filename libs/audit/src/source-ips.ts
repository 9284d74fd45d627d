import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

const mapped = /^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i;

/** The address used for connections within the process. */
const loopback = '::1';

/**
 * The source addresses of a request: the client first, then the proxies, as the headers state them; the last is the connection's address.
 * Source: SourceIPs of k8s.io/apimachinery/pkg/util/net.
 */
export function sourceIPs(request: IncomingMessage): string[] {
  const forwarded = request.headers['x-forwarded-for'];
  const ips = (forwarded === undefined ? [] : String(forwarded).split(',')).flatMap(parsed);
  const [real] = parsed(String(request.headers['x-real-ip'] ?? ''));
  if (real !== undefined && !ips.includes(real)) ips.push(real);
  const [remote = loopback] = parsed(request.socket.remoteAddress ?? '');
  if (ips.at(-1) !== remote) ips.push(remote);
  return ips;
}

function parsed(text: string): string[] {
  const ip = text.trim().replace(mapped, '');
  return isIP(ip) === 0 ? [] : [ip];
}
