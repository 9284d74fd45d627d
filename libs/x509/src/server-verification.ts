import { checkServerIdentity, type ConnectionOptions, type PeerCertificate } from 'node:tls';

/**
 * Like Node's check of a server's names, without its fallback: as in Go, the common name is no name of a server. The error is Node's.
 * https://pkg.go.dev/crypto/x509#Certificate.VerifyHostname
 */
function namesOnly(host: string, certificate: PeerCertificate): Error | undefined {
  const unnamed = { ...certificate, subject: { ...certificate.subject, CN: '' } };
  const problem = checkServerIdentity(host, unnamed);
  return problem === undefined ? undefined : Object.assign(problem, { cert: certificate });
}

/**
 * TLS options with which a client verifies a server. OpenSSL verifies the chain against the `ca` of the connection. A certificate in `ca` is trusted
 * whether or not its own issuer is known, as in Go.
 */
export const serverVerification = {
  allowPartialTrustChain: true,
  checkServerIdentity: namesOnly,
} satisfies ConnectionOptions & { readonly allowPartialTrustChain: boolean };
