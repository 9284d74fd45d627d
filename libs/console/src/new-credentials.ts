import type { IncomingMessage, ServerResponse } from 'node:http';
import { isRecord, isStatusError, newForbidden, parseJson, parseYaml } from '@apichain/meta';
import { readBodyAhead, scopeOf, writeStatusError, type Filter, type RequestInfo } from '@apichain/request';
import { isInSession } from './session-authenticator.ts';

/** Requests whose responses are credentials, or become some. Server-side apply creates objects with a patch. */
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

/** Secrets that are tokens, or to which a controller adds one. */
const tokenTypes: ReadonlySet<unknown> = new Set([
  'kubernetes.io/service-account-token',
  'bootstrap.kubernetes.io/token',
]);

const reason = 'a session of the console creates no credentials, because they would outlive it: use kubectl';

/** Refuses requests of sessions that create tokens and certificates. */
export const refuseNewCredentials: Filter = (request, response, next) => {
  const { requestInfo: info } = scopeOf(request);
  const isCreating = creating.some(
    ({ apiGroup, resource, subresource, verbs }) =>
      info.resource === resource &&
      info.apiGroup === apiGroup &&
      info.subresource === subresource &&
      verbs.includes(info.verb),
  );
  const mayCreateSecret =
    info.resource === 'secrets' && info.apiGroup === '' && ['create', 'patch'].includes(info.verb);
  if ((!isCreating && !mayCreateSecret) || !isInSession(request)) next();
  else if (isCreating) refuse(info, request, response);
  else
    isTokenSecret(request).then(
      (isToken) => (isToken ? refuse(info, request, response) : next()),
      (error: unknown) => {
        if (!isStatusError(error)) throw error;
        writeStatusError(request, response, error);
      },
    );
};

function refuse({ apiGroup: group, resource, name }: RequestInfo, request: IncomingMessage, response: ServerResponse) {
  writeStatusError(request, response, newForbidden({ group, resource }, name, reason));
}

const binary = /protobuf|cbor/i;

/** Whether the body is a Secret with a token. In a binary form, which the page does not use, every Secret counts as one. Throws StatusError. */
async function isTokenSecret(request: IncomingMessage): Promise<boolean> {
  if (binary.test(request.headers['content-type'] ?? '')) return true;
  const secret = documentIn(await readBodyAhead(request));
  return isRecord(secret) && tokenTypes.has(secret['type']);
}

/** Undefined for a body that the server, which reads it again, will refuse. */
function documentIn(body: Buffer): unknown {
  for (const read of [() => parseJson(body.toString()), () => parseYaml(body)])
    try {
      return read();
    } catch {
      // It is of the other form, or of none.
    }
  return undefined;
}
