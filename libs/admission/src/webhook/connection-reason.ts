import { lookupTable } from '@apichain/meta';
import { isIP } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';

const systemErrors: Readonly<Record<string, string>> = lookupTable({
  ECONNREFUSED: 'connect: connection refused',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
  ETIMEDOUT: 'connect: connection timed out',
});
const authorityErrors: ReadonlySet<string> = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
]);

interface ConnectionError extends NodeJS.ErrnoException {
  readonly address?: string;
  readonly port?: number;
  readonly hostname?: string;
}

/** The error text of Go's net/http for a failed connection. */
export function connectionReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code = '', address = '', port, hostname } = error as ConnectionError;
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return 'context deadline exceeded';
  if (error instanceof AggregateError && error.errors.length > 0) return connectionReason(error.errors[0]);
  const known = systemErrors[code];
  if (known !== undefined) return `dial tcp ${address.includes(':') ? `[${address}]` : address}:${port ?? 0}: ${known}`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `dial tcp: lookup ${hostname ?? ''}: no such host`;
  if (code === 'ECONNRESET') return 'EOF';
  if (code === 'EPROTO' && error.message.includes('wrong version number'))
    return 'tls: first record does not look like a TLS handshake';
  if (authorityErrors.has(code))
    return 'tls: failed to verify certificate: x509: certificate signed by unknown authority';
  if (code === 'CERT_HAS_EXPIRED')
    return 'tls: failed to verify certificate: x509: certificate has expired or is not yet valid';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `tls: failed to verify certificate: x509: ${altNameReason(error)}`;
  return error.message;
}

function altNameReason(error: Error): string {
  const { host = '', cert } = error as Error & { host?: string; cert?: PeerCertificate };
  const written = cert?.subjectaltname;
  if (cert !== undefined && written === undefined && checkServerIdentity(host, cert) === undefined)
    return 'certificate relies on legacy Common Name field, use SANs instead';
  const kind = isIP(host) === 0 ? 'DNS:' : 'IP Address:';
  const names = (written ?? '')
    .split(', ')
    .filter((name) => name.startsWith(kind))
    .map((name) => name.slice(kind.length));
  if (names.length > 0) return `certificate is valid for ${names.join(', ')}, not ${host}`;
  return isIP(host) === 0
    ? `certificate is not valid for any names, but wanted to match ${host}`
    : `cannot validate certificate for ${host} because it doesn't contain any IP SANs`;
}
