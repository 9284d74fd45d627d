import type { IncomingMessage } from 'node:http';
import type { UserInfo } from './user.ts';

/**
 * One way of telling who calls. Resolves to undefined when the request carries nothing it knows;
 * throws when it carries a credential that is not valid (the caller then answers 401).
 */
export interface Authenticator {
  authenticate(request: IncomingMessage): Promise<UserInfo | undefined> | UserInfo | undefined;
}
