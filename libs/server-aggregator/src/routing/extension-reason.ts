import { connectionReason } from '@apichain/admission';

const notTls = 'tls: first record does not look like a TLS handshake';
const plainHttp = 'http: server gave HTTP response to HTTPS client';

/**
 * Why a request to an extension API server failed, in the words of Go's HTTP client. That client looks at the bytes of a server that does not
 * speak TLS; Node does not show them. Such a server is taken for an HTTP server, which is the usual mistake.
 */
export function extensionReason(error: unknown): string {
  const reason = connectionReason(error);
  return reason === notTls ? plainHttp : reason;
}
