import type { IncomingMessage } from 'node:http';
import type { UserInfo } from './user.ts';

/**
 * One authentication method. Resolves to undefined when the request carries no credential of this method; throws when the credential is not valid
 * (the response is then 401).
 */
export interface Authenticator {
  authenticate(request: IncomingMessage): Promise<UserInfo | undefined> | UserInfo | undefined;
}
