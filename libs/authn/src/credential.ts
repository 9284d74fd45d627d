import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { ownText } from '@apichain/meta';
import { isAuthenticatedByCertificate } from './client-certificate.ts';
import { peerCertificates, presentOn, type PeerCertificates } from './peer-certificate.ts';
import { bearerToken } from './token.ts';
import type { UserInfo } from './authenticator.ts';

/** With what a client has authenticated a request: its certificates, or a bearer token. */
export type Credential = { readonly certificates: PeerCertificates } | { readonly token: string };

/** The credential by which a request is of `user`. Undefined when it has none, as that of an anonymous user. */
export function credentialOf(request: IncomingMessage, user: UserInfo): Credential | undefined {
  if (isAuthenticatedByCertificate(user)) {
    const certificates = peerCertificates(request);
    return certificates === undefined ? undefined : { certificates };
  }
  const token = bearerToken(request);
  return token === undefined ? undefined : { token: ownText(token) };
}

/** A request that an authenticator can be asked about, which presents the credential and nothing else: the credential is checked again. */
export function presenting(credential: Credential): IncomingMessage {
  const socket = new Socket();
  const request = new IncomingMessage(socket);
  if ('certificates' in credential) presentOn(socket, credential.certificates);
  else request.headers.authorization = `Bearer ${credential.token}`;
  return request;
}
