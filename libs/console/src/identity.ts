import type { IncomingMessage } from 'node:http';
import { PeerCertificates, type Credential, type TokenAuthenticator, type UserInfo } from '@apichain/authn';
import { ownText } from '@apichain/meta';

/** Who was authenticated, and by what. */
export interface Owner {
  readonly user: UserInfo;
  readonly credential: Credential;
}

/** As whom the requests of a session are sent. */
export interface Identity {
  /** The user who was authenticated. The credential is checked again with each request. */
  readonly owner: Owner;
  /** For whom the session was made: the owner, or the user whom the owner impersonates. Only shown. */
  readonly user: UserInfo;
  /**
   * The Impersonate-* headers that each request carries: names and values in turn, as in `rawHeaders`. With each of them the right to impersonate is
   * checked again, and audit events tell both users.
   */
  readonly impersonation: readonly string[];
  /** When the credential expires, in milliseconds since the epoch; undefined = never, or nobody knows. */
  readonly expiresAt: number | undefined;
}

/** An identity as JSON, for another process. */
export const identityText = ({ owner, ...others }: Identity): string =>
  JSON.stringify({
    ...others,
    user: owner.user,
    speaksFor: others.user,
    ...('token' in owner.credential
      ? { token: owner.credential.token }
      : { certificates: owner.credential.certificates.toText() }),
  });

/** From what `identityText` made of it. */
export function identityFromText(text: string): Identity {
  const { user, speaksFor, token, certificates, impersonation, expiresAt } = JSON.parse(text) as Pick<
    Identity,
    'user' | 'impersonation' | 'expiresAt'
  > & { readonly speaksFor: UserInfo; readonly token?: string; readonly certificates?: string };
  const credential = token === undefined ? { certificates: PeerCertificates.fromText(certificates ?? '') } : { token };
  return { owner: { user, credential }, user: speaksFor, impersonation, expiresAt };
}

const impersonateHeader = /^impersonate-/i;
/** Characters of what a session keeps of its first request. */
const maxCharacters = 64 * 1024;

/** The identity of a request of `owner`, which speaks for `user`. Throws Error when it is too large to be kept. */
export async function identityOf(
  owner: Owner,
  user: UserInfo,
  { rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>,
  tokens: TokenAuthenticator | undefined,
): Promise<Identity> {
  const impersonation = impersonationIn(rawHeaders);
  const { credential } = owner;
  const kept = [...impersonation, 'token' in credential ? credential.token : ''];
  if (kept.reduce((sum, text) => sum + text.length, 0) > maxCharacters)
    throw new Error(`the token and the Impersonate headers have more than ${maxCharacters} characters`);
  return { owner, user, impersonation, expiresAt: await expiryOfCredential(credential, tokens) };
}

function impersonationIn(rawHeaders: readonly string[]): string[] {
  const kept: string[] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const [name = '', value = ''] = rawHeaders.slice(i, i + 2);
    if (impersonateHeader.test(name)) kept.push(ownText(name), ownText(value));
  }
  return kept;
}

async function expiryOfCredential(
  credential: Credential,
  tokens: TokenAuthenticator | undefined,
): Promise<number | undefined> {
  if ('certificates' in credential) return credential.certificates.expiresAt();
  return (await tokens?.authenticateToken(credential.token))?.expiresAt;
}
