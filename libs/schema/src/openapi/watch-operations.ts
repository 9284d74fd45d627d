import { groupVersionTag, operationGroupVersion } from './definition-names.ts';
import type { OpenApiGroupVersion, OpenApiResource } from './openapi-types.ts';
import type { OpenApiOperation } from './operation.ts';
import { parametersOf } from './parameters.ts';
import { pathParameters, protobuf, serialized, streams } from './operation-parts.ts';

/** The deprecated paths below `watch/`: of a list, of all namespaces, of one object. Custom resources do not have them. */
export function watchOperations(gv: OpenApiGroupVersion, root: string, resource: OpenApiResource): OpenApiOperation[] {
  if (resource.custom || !resource.verbs.includes('watch')) return [];
  const { kind } = resource.kind;
  const scope = resource.namespaced ? 'Namespaced' : '';
  const base = `${root}/watch/${resource.namespaced ? 'namespaces/{namespace}/' : ''}${resource.plural}`;
  const watch = (path: string, suffix: string, onItem: boolean): OpenApiOperation => ({
    path,
    method: 'get',
    action: onItem ? 'watch' : 'watchlist',
    operationId: `watch${operationGroupVersion(gv.group, gv.version)}${suffix}`,
    tag: groupVersionTag(gv.group, gv.version),
    description: onItem
      ? `watch changes to an object of kind ${kind}. deprecated: list with 'watch' and a 'fieldSelector' of its name.`
      : `watch individual changes to a list of ${kind}. deprecated: list with 'watch'.`,
    about: resource.kind,
    pathParameters: pathParameters(path, kind),
    parameters: parametersOf('list', false),
    bodyRequired: false,
    consumes: ['*/*'],
    produces: [...serialized, protobuf, ...streams],
    responses: [{ code: 200, payload: { builtin: 'meta.v1.WatchEvent' } }],
  });
  const operations = [watch(`${base}/{name}`, `${scope}${kind}`, true)];
  if (resource.verbs.includes('list')) {
    operations.push(watch(base, `${scope}${kind}List`, false));
    if (resource.namespaced)
      operations.push(watch(`${root}/watch/${resource.plural}`, `${kind}ListForAllNamespaces`, false));
  }
  return operations;
}
