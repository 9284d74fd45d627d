import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Authenticator } from '@apichain/authn';
import type { TokenVerdict } from '@apichain/kinds';

const anonymousUser = 'system:anonymous';

/** Whom a bearer token stands for, asked of the authenticator that guards the server itself. */
export async function reviewToken(authenticator: Authenticator, token: string): Promise<TokenVerdict> {
  const request = new IncomingMessage(new Socket());
  request.headers.authorization = `Bearer ${token}`;
  try {
    const user = await authenticator.authenticate(request);
    return user === undefined || user.name === anonymousUser ? { error: 'invalid bearer token' } : { user };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}
