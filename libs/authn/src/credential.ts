import type { X509Certificate } from 'node:crypto';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { ownText } from '@apichain/meta';
import { isOfCertificate } from './client-certificate.ts';
import { peerCertificate, rememberPeer } from './peer-certificate.ts';
import { bearerToken } from './token.ts';
import type { UserInfo } from './user.ts';

/** With what a client has authenticated a request: its certificate, or a bearer token. */
export type Credential = { readonly certificate: X509Certificate } | { readonly token: string };

/** The credential by which a request is of `user`. Undefined when it has none, as that of an anonymous user. */
export function credentialOf(request: IncomingMessage, user: UserInfo): Credential | undefined {
  if (isOfCertificate(user)) {
    const certificate = peerCertificate(request);
    return certificate === undefined ? undefined : { certificate };
  }
  const token = bearerToken(request);
  return token === undefined ? undefined : { token: ownText(token) };
}

/** A request that an authenticator can be asked about, which presents the credential and nothing else: the credential is checked again. */
export function presenting(credential: Credential): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  rememberPeer(request, 'certificate' in credential ? credential.certificate : undefined);
  if ('token' in credential) request.headers.authorization = `Bearer ${credential.token}`;
  return request;
}
