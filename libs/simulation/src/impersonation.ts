import type { Transport } from '@apichain/client';

/** The group of all users, which impersonated ones are in anyway. */
const everyone = 'system:authenticated';

/** Sends requests as another user, over the connections of one who may impersonate anybody. https://kubernetes.io/docs/reference/access-authn-authz/user-impersonation/ */
export function impersonating(transport: Transport, user: string, groups: readonly string[]): Transport {
  const own = groups.filter((group) => group !== everyone);
  const headers = { 'Impersonate-User': user, ...(own.length === 0 ? {} : { 'Impersonate-Group': own }) };
  return {
    send: (request) => transport.send({ ...request, headers: { ...request.headers, ...headers } }),
    // The connections belong to whoever opened them.
    close: async () => undefined,
  };
}
