import { watchResponse, type Filter } from '@apichain/request';
import { parseGroupVersion, type KubeObject } from '@apichain/meta';
import { clientScope } from './request-match.ts';

/** The groups of the objects that servers decide other requests by: rights, webhook configurations and policies. */
const decidingGroups: ReadonlySet<string> = new Set(['rbac.authorization.k8s.io', 'admissionregistration.k8s.io']);
const readingVerbs: ReadonlySet<string> = new Set(['get', 'list', 'watch']);

/** Whether servers decide other requests by the object. */
export const isDeciding = ({ apiVersion }: KubeObject): boolean =>
  decidingGroups.has(parseGroupVersion(apiVersion).group);

/**
 * Delays the end of the response to a client's write of rights or policies until they are in force, so that a test needs no pause after the write.
 * `upToDate` resolves when they are.
 */
export function respondingInForce(upToDate: () => Promise<void>): Filter {
  return (request, response, next) => {
    const info = clientScope(request)?.requestInfo;
    if (info !== undefined && decidingGroups.has(info.apiGroup) && !readingVerbs.has(info.verb))
      watchResponse(response, {
        head: () => undefined,
        end: () => (response.statusCode < 300 ? upToDate() : undefined),
      });
    next();
  };
}
