import type { IncomingMessage } from 'node:http';

/**
 * One authentication method. Resolves to undefined when the request carries no credential of this method; throws when the credential is not valid
 * (the response is then 401).
 */
export interface Authenticator {
  authenticate(request: IncomingMessage): Promise<UserInfo | undefined> | UserInfo | undefined;
}

/** The user who makes a request: https://kubernetes.io/docs/reference/access-authn-authz/authentication/ */
export interface UserInfo {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
  /** Audit annotations about the credentials, e.g. that their kind is deprecated. */
  readonly auditAnnotations?: Readonly<Record<string, string>>;
  /** Warnings about the credentials, sent with every response. */
  readonly warnings?: readonly string[];
}
