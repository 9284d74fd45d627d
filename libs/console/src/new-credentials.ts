import { newForbidden } from '@apichain/meta';
import { scopeOf, writeStatusError, type Filter, type RequestInfo } from '@apichain/request';

/** Requests whose answers are credentials, or become some. Server-side apply creates objects with a patch. */
const creating: readonly (Pick<RequestInfo, 'apiGroup' | 'resource' | 'subresource'> & {
  readonly verbs: readonly string[];
})[] = [
  { apiGroup: '', resource: 'serviceaccounts', subresource: 'token', verbs: ['create'] },
  ...['certificatesigningrequests', 'podcertificaterequests'].map((resource) => ({
    apiGroup: 'certificates.k8s.io',
    resource,
    subresource: '',
    verbs: ['create', 'patch'],
  })),
];

const reason = 'a session of the console creates no credentials, because they would outlive it: use kubectl';

/** Refuses requests of sessions that create tokens and certificates. `isOfSession` says of an authenticated request whether it belongs to a session. */
export const refusingNewCredentials =
  (isOfSession: (request: Parameters<Filter>[0]) => boolean): Filter =>
  (request, response, next) => {
    const { requestInfo: info } = scopeOf(request);
    const isRefused = creating.some(
      ({ apiGroup, resource, subresource, verbs }) =>
        info.resource === resource &&
        info.apiGroup === apiGroup &&
        info.subresource === subresource &&
        verbs.includes(info.verb),
    );
    if (isRefused && isOfSession(request))
      writeStatusError(
        request,
        response,
        newForbidden({ group: info.apiGroup, resource: info.resource }, info.name, reason),
      );
    else next();
  };
