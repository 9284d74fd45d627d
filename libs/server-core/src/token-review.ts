import { invalidBearerToken, type TokenAuthenticator, withAuthenticatedGroup } from '@apichain/authn';
import type { TokenVerdict } from '@apichain/kinds-registry';
import { errorMessage } from '@apichain/meta';

/**
 * Authenticates a bearer token with the authenticator of the server itself. Every error starts with that of the loopback token, which is checked
 * first.
 */
export async function reviewToken(
  tokens: TokenAuthenticator | undefined,
  apiAudiences: readonly string[],
  token: string,
  asked: readonly string[],
): Promise<TokenVerdict> {
  const audiences = asked.length > 0 ? asked : apiAudiences;
  try {
    const authenticated = await tokens?.authenticateToken(token, audiences);
    if (authenticated === undefined) return { error: invalidBearerToken };
    return { user: withAuthenticatedGroup(authenticated.user), audiences: authenticated.audiences ?? audiences };
  } catch (error) {
    const reason = errorMessage(error);
    return { error: reason === invalidBearerToken ? reason : `[${invalidBearerToken}, ${reason}]` };
  }
}
