import type { Type } from '@apichain/scheme';
import { capitalized, groupVersionTag, operationGroupVersion } from './definition-names.ts';
import type { OpenApiGroupVersion, OpenApiOptions, OpenApiResource, OpenApiSubresource } from './openapi-types.ts';
import { type OpenApiOperation, pathParameters, protobuf, scopePath, serialized } from './operation.ts';
import { optionParameter, parametersOf, type OpenApiParameter } from './parameters.ts';

/** The operations of subresources that are not objects: streams and proxies, with all their methods, and texts such as a log. */
export function connectOperations(
  gv: OpenApiGroupVersion,
  root: string,
  resource: OpenApiResource,
  sub: OpenApiSubresource & { readonly connect: OpenApiOptions },
): OpenApiOperation[] {
  const { methods, options, isText } = sub.connect;
  const scope = resource.namespaced ? 'Namespaced' : '';
  const fields = optionParameters(options);
  const path = `${scopePath(root, resource)}/{name}/${sub.name}`;
  const common = (at: string) => ({
    path: at,
    tag: groupVersionTag(gv.group, gv.version),
    about: sub.kind,
    pathParameters: pathParameters(at, sub.kind.kind),
    bodyRequired: false,
    consumes: ['*/*'],
    responses: [{ code: 200, payload: 'string' as const }],
  });
  const operationOf = operationGroupVersion(gv.group, gv.version);
  const suffix = `${scope}${resource.kind.kind}${capitalized(sub.name)}`;
  if (isText)
    return [
      {
        ...common(path),
        method: 'get',
        action: 'get',
        operationId: `read${operationOf}${suffix}`,
        description: `read ${sub.name} of the specified ${resource.kind.kind}`,
        parameters: [...fields, ...parametersOf('get', false)],
        produces: ['text/plain', ...serialized, protobuf],
      },
    ];
  // Options with a `path` field belong to a subresource that also serves paths below its own.
  const paths = fields.some(({ name }) => name === 'path') ? [path, `${path}/{path}`] : [path];
  return paths.flatMap((at) =>
    methods.map((method) => ({
      ...common(at),
      method: method.toLowerCase() as OpenApiOperation['method'],
      action: 'connect',
      operationId: `connect${operationOf}${capitalized(method.toLowerCase())}${suffix}${at === path ? '' : 'WithPath'}`,
      description: `connect ${method} requests to ${sub.name} of ${resource.kind.kind}`,
      parameters: fields,
      produces: ['*/*'],
    })),
  );
}

/** The fields of options as query parameters; only fields that a query can express. */
function optionParameters(options: Type): OpenApiParameter[] {
  return (options.fields ?? []).flatMap(({ name, type }) => {
    const { kind } = type.kind === 'array' && type.items !== undefined ? type.items : type;
    if (name === 'kind' || name === 'apiVersion') return [];
    return kind === 'string' || kind === 'boolean' || kind === 'integer'
      ? [optionParameter(name, kind, options.name ?? '')]
      : [];
  });
}
