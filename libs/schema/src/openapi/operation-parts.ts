import type { OpenApiResource } from './openapi-types.ts';
import type { OpenApiParameter } from './parameters.ts';

export const serialized = ['application/json', 'application/yaml'];
export const protobuf = 'application/vnd.kubernetes.protobuf';
export const streams = ['application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch'];

const inPath = (name: string, description: string): OpenApiParameter => ({
  name,
  in: 'path',
  type: 'string',
  description,
  required: true,
});
const namespaceParameter = inPath('namespace', 'object name and auth scope, such as for teams and projects');

/** The path of a resource's objects; for a namespaced resource, in a namespace. */
export const scopePath = (root: string, resource: OpenApiResource): string =>
  resource.namespaced ? `${root}/namespaces/{namespace}/${resource.plural}` : `${root}/${resource.plural}`;

/** The parameters in a path. */
export const pathParameters = (path: string, kind: string): OpenApiParameter[] => [
  ...(path.includes('{name}') ? [inPath('name', `name of the ${kind}`)] : []),
  ...(path.includes('{namespace}') ? [namespaceParameter] : []),
  ...(path.includes('{path}') ? [inPath('path', 'path to the resource')] : []),
];
