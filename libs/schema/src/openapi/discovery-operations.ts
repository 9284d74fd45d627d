import { groupVersionTag, operationGroupVersion } from './definition-names.ts';
import type { OpenApiGroupVersion } from './openapi-types.ts';
import { type OpenApiOperation, protobuf, serialized } from './operation.ts';

type Told = Pick<OpenApiOperation, 'path' | 'operationId' | 'tag' | 'description'>;

/** A GET of a path that is not a resource. */
const plain = (told: Told, payload: OpenApiOperation['responses'][number]['payload'], produces: readonly string[]) =>
  ({
    ...told,
    method: 'get',
    pathParameters: [],
    parameters: [],
    bodyRequired: false,
    consumes: payload === 'string' ? [] : produces,
    produces,
    responses: [{ code: 200, payload }],
  }) satisfies OpenApiOperation;

const discovery = (told: Told, type: string): OpenApiOperation =>
  plain(told, { builtin: `meta.v1.${type}` }, [...serialized, protobuf]);

/** The list of a group-version's resources. */
export const resourcesOperation = ({ group, version }: OpenApiGroupVersion, root: string): OpenApiOperation =>
  discovery(
    {
      path: `${root}/`,
      operationId: `get${operationGroupVersion(group, version)}APIResources`,
      tag: groupVersionTag(group, version),
      description: 'get available resources',
    },
    'APIResourceList',
  );

/** The versions of a group. */
export const groupOperation = (group: string): OpenApiOperation =>
  discovery(
    {
      path: `/apis/${group}/`,
      operationId: `get${operationGroupVersion(group, '')}APIGroup`,
      tag: groupVersionTag(group, '').slice(0, -1),
      description: 'get information of a group',
    },
    'APIGroup',
  );

const versions = 'get available API versions';

/** The paths of the server outside its groups. The paths of their documents are the same without leading and trailing slashes. */
export const serverOperations: readonly OpenApiOperation[] = [
  discovery({ path: '/api/', operationId: 'getCoreAPIVersions', tag: 'core', description: versions }, 'APIVersions'),
  discovery({ path: '/apis/', operationId: 'getAPIVersions', tag: 'apis', description: versions }, 'APIGroupList'),
  plain(
    {
      path: '/version/',
      operationId: 'getCodeVersion',
      tag: 'version',
      description: 'get the version information for this server',
    },
    { builtin: 'version.Info' },
    ['application/json'],
  ),
  plain(
    {
      path: '/.well-known/openid-configuration/',
      operationId: 'getServiceAccountIssuerOpenIDConfiguration',
      tag: 'WellKnown',
      description: 'get where the issuer of tokens for service accounts has what it publishes (OpenID discovery)',
    },
    'string',
    ['application/json'],
  ),
  plain(
    {
      path: '/openid/v1/jwks/',
      operationId: 'getServiceAccountIssuerOpenIDKeyset',
      tag: 'openid',
      description: 'get the public keys that verify tokens of service accounts, as a JSON Web Key Set',
    },
    'string',
    ['application/jwk-set+json'],
  ),
];
