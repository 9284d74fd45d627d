import { constants } from 'node:crypto';
import type { SecureContextOptions } from 'node:tls';

/**
 * TLS options with which every certificate that a client presents reaches the authenticators. Each of them verifies the whole chain against its own
 * authorities, and again when these change; OpenSSL's verdict at the handshake is against all of them together and is not used.
 *
 * Node gives out the certificates besides the client's own with the first call of `getPeerX509Certificate` only, and makes that call itself when
 * OpenSSL accepts the client (https://github.com/nodejs/node/issues/65579). With a revocation list, OpenSSL asks for one of every authority,
 * which there is not, and so accepts none.
 *
 * A resumed session would have the client's own certificate without the others, and the client would lose its identity. So sessions are not
 * resumed. Clients of Kubernetes do not ask for it.
 */
export const allClientCertificates = {
  secureOptions: constants.SSL_OP_NO_TICKET,
  /** An empty list of an authority that no one has the key of. */
  crl: `-----BEGIN X509 CRL-----
MIGYMEACAQEwCgYIKoZIzj0EAwIwETEPMA0GA1UEAwwGbm9ib2R5Fw0yNjExMjgw
MjUyMzdaFw0yNjExMjkwMjUyMzdaMAoGCCqGSM49BAMCA0gAMEUCIQDkfO36XHpc
AMdYv3O3xIGBE6IGTEysBNS8Jx+sMlM9OwIgPN/rWePaseG9FoFfv/7kdq6xPwM6
JHuXxC19zFnacTM=
-----END X509 CRL-----
`,
} satisfies SecureContextOptions;
