import { RestClient, type Transport, type TransportRequest } from '@apichain/client';

/** The clients of other users over the transport of a user who may impersonate them, such as an administrator. Closing one does not close the transport. */
export const impersonating =
  (transport: Transport) =>
  (username: string, groups: readonly string[]): RestClient =>
    new RestClient({
      send: (request: TransportRequest) =>
        transport.send({ ...request, headers: { ...request.headers, ...identity(username, groups) } }),
      close: () => Promise.resolve(),
    });

/** One header names one group: kubelets are in `system:nodes`. Every authenticated user is in `system:authenticated`, also when impersonated. */
function identity(username: string, groups: readonly string[]): Record<string, string> {
  const [group, more] = groups.filter((name) => name !== 'system:authenticated');
  if (more !== undefined) throw new Error('a user can be impersonated with one group only');
  return { 'impersonate-user': username, ...(group === undefined ? {} : { 'impersonate-group': group }) };
}
