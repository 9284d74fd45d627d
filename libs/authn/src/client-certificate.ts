import { oncePerObject } from '@apichain/meta';
import type { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Authenticator, UserInfo } from './authenticator.ts';
import { ClientCertificateVerifier, commonName, peerCertificates, subjectAttribute } from './peer-certificate.ts';
import { credentialIdKey } from './well-known.ts';

/** Whether a user was authenticated by a client certificate. */
export const isAuthenticatedByCertificate = ({ extra }: UserInfo): boolean =>
  extra[credentialIdKey]?.[0]?.startsWith('X509') === true;

const uidAttribute = '1.3.6.1.4.1.57683.2';

/**
 * X.509 client certificates: the common name is the user, organizations are groups.
 * https://kubernetes.io/docs/reference/access-authn-authz/authentication/#x509-client-certificates
 */
export class ClientCertificateAuthenticator implements Authenticator {
  readonly #verifier: ClientCertificateVerifier;
  /** Authentication and what follows it get the same object for each request of a connection. */
  readonly #userOf = oncePerObject(userOf);

  /** Without authorities, client certificates are ignored. */
  constructor(clientCAs: readonly X509Certificate[]) {
    this.#verifier = new ClientCertificateVerifier(clientCAs);
  }

  /** Replaces the trusted authorities. */
  trust(clientCAs: readonly X509Certificate[]): void {
    this.#verifier.trust(clientCAs);
  }

  authenticate(request: IncomingMessage): UserInfo | undefined {
    const peer = peerCertificates(request);
    if (peer === undefined || !this.#verifier.hasRoots) return undefined;
    const problem = this.#verifier.problem(peer);
    if (problem !== undefined) throw new Error(`verifying certificate failed: ${problem}`);
    const user = this.#userOf(peer.leaf);
    return user.name === '' ? undefined : user;
  }
}

/** Like Go, uses the last of several common names, and all organizations. Throws Error for an invalid uid. */
function userOf(certificate: X509Certificate): UserInfo {
  const fingerprint = certificate.fingerprint256.replaceAll(':', '').toLowerCase();
  return {
    name: commonName(certificate),
    uid: uidOf(subjectAttribute(certificate, uidAttribute)),
    groups: subjectAttribute(certificate, 'O'),
    extra: { [credentialIdKey]: [`X509SHA256=${fingerprint}`] },
  };
}

function uidOf(values: readonly string[]): string {
  const [uid] = values;
  if (values.length > 1) throw new Error(`expected 1 UID, but found multiple: [${values.join(' ')}]`);
  if (uid === '') throw new Error('UID cannot be an empty string');
  return uid ?? '';
}
