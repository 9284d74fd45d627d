import type { GroupVersionKind } from '@apichain/meta';
import { connectOperations } from './connect-operations.ts';
import { groupVersionTag, operationGroupVersion } from './definition-names.ts';
import { resourcesOperation } from './discovery-operations.ts';
import {
  servesCustomResources,
  type OpenApiGroupVersion,
  type OpenApiResource,
  type OpenApiSubresource,
} from './openapi-types.ts';
import {
  pathParameters,
  protobuf,
  scopePath,
  serialized,
  streams,
  type OpenApiOperation,
  type Payload,
} from './operation.ts';
import { parametersOf } from './parameters.ts';

interface Action {
  readonly verb: string;
  readonly method: OpenApiOperation['method'];
  readonly action: string;
  readonly operation: string;
  readonly onItem: boolean;
}

const actions: readonly Action[] = [
  {
    verb: 'list',
    method: 'get',
    action: 'list',
    operation: 'list',
    onItem: false,
  },
  { verb: 'create', method: 'post', action: 'post', operation: 'create', onItem: false },
  {
    verb: 'deletecollection',
    method: 'delete',
    action: 'deletecollection',
    operation: 'delete',
    onItem: false,
  },
  { verb: 'get', method: 'get', action: 'get', operation: 'read', onItem: true },
  { verb: 'update', method: 'put', action: 'put', operation: 'replace', onItem: true },
  { verb: 'delete', method: 'delete', action: 'delete', operation: 'delete', onItem: true },
  {
    verb: 'patch',
    method: 'patch',
    action: 'patch',
    operation: 'patch',
    onItem: true,
  },
];

/** Every operation of a group-version, grouped by resource. */
export function groupVersionOperations(gv: OpenApiGroupVersion): OpenApiOperation[] {
  const root = gv.group === '' ? `/api/${gv.version}` : `/apis/${gv.group}/${gv.version}`;
  const ofResources = gv.resources.flatMap((resource) => [
    ...collectionAndItem(gv, root, resource),
    ...resource.subresources.flatMap((sub) => subresourceOperations(gv, root, resource, sub)),
    ...watchOperations(gv, root, resource),
  ]);
  return servesCustomResources(gv) ? ofResources : [resourcesOperation(gv, root), ...ofResources];
}

function collectionAndItem(gv: OpenApiGroupVersion, root: string, resource: OpenApiResource): OpenApiOperation[] {
  const scope = resource.namespaced ? 'Namespaced' : '';
  const base = scopePath(root, resource);
  const operations = actions
    .filter((a) => resource.verbs.includes(a.verb))
    .map((a) => {
      const middle = a.verb === 'deletecollection' ? 'Collection' : '';
      return operation(gv, resource, a, {
        path: a.onItem ? `${base}/{name}` : base,
        suffix: `${middle}${scope}${resource.kind.kind}`,
        subresource: '',
        kind: resource.kind,
      });
    });
  const [list] = actions;
  if (resource.namespaced && list !== undefined && resource.verbs.includes('list'))
    operations.push(
      operation(gv, resource, list, {
        path: `${root}/${resource.plural}`,
        suffix: `${resource.kind.kind}ForAllNamespaces`,
        subresource: '',
        kind: resource.kind,
      }),
    );
  return operations;
}

function subresourceOperations(
  gv: OpenApiGroupVersion,
  root: string,
  resource: OpenApiResource,
  sub: OpenApiSubresource,
): OpenApiOperation[] {
  const { connect } = sub;
  if (connect !== undefined) return connectOperations(gv, root, resource, { ...sub, connect });
  const scope = resource.namespaced ? 'Namespaced' : '';
  const name = sub.name.charAt(0).toUpperCase() + sub.name.slice(1);
  return actions
    .filter((a) => sub.verbs.includes(a.verb))
    .map((a) =>
      operation(gv, resource, a, {
        path: `${scopePath(root, resource)}/{name}/${sub.name}`,
        suffix: `${scope}${resource.kind.kind}${name}`,
        subresource: sub.name,
        kind: sub.kind,
      }),
    );
}

interface Place {
  readonly path: string;
  readonly suffix: string;
  /** The name of the subresource; '' for the resource itself. */
  readonly subresource: string;
  readonly kind: GroupVersionKind;
}

function operation(gv: OpenApiGroupVersion, resource: OpenApiResource, action: Action, at: Place): OpenApiOperation {
  const binary = resource.custom ? [] : [protobuf];
  const produces = [...serialized, ...binary];
  const item: Payload = { kind: at.kind };
  const status: Payload = { builtin: 'meta.v1.Status' };
  const about = resource.custom ? resource.kind : at.kind;
  return {
    path: at.path,
    method: action.method,
    action: action.action,
    operationId: `${action.operation}${operationGroupVersion(gv.group, gv.version)}${at.suffix}`,
    tag: groupVersionTag(gv.group, gv.version),
    description: operationDescription(action.verb, resource.kind.kind, at.subresource, resource.custom),
    kind: at.kind,
    about,
    pathParameters: pathParameters(at.path, about.kind),
    parameters: parametersOf(action.verb, resource.custom),
    ...bodyOf(action, item, resource.custom),
    consumes: action.verb === 'patch' ? patchTypes(resource) : resource.custom ? serialized : ['*/*'],
    produces: action.verb === 'list' && !resource.custom ? [...produces, ...streams] : produces,
    responses: responsesOf(action, item, status, resource),
  };
}

function patchTypes(resource: OpenApiResource): string[] {
  const common = ['application/json-patch+json', 'application/merge-patch+json'];
  return resource.custom
    ? [...common, 'application/apply-patch+yaml']
    : [...common, 'application/strategic-merge-patch+json', 'application/apply-patch+yaml'];
}

function bodyOf(action: Action, item: Payload, isCustom: boolean): { body?: Payload; bodyRequired: boolean } {
  switch (action.verb) {
    case 'create':
    case 'update':
      return { body: item, bodyRequired: true };
    case 'patch':
      return { body: { builtin: 'meta.v1.Patch' }, bodyRequired: true };
    case 'delete':
    case 'deletecollection':
      if (isCustom && action.verb === 'deletecollection') return { bodyRequired: false };
      return { body: { builtin: 'meta.v1.DeleteOptions' }, bodyRequired: false };
    default:
      return { bodyRequired: false };
  }
}

function responsesOf(
  action: Action,
  item: Payload,
  status: Payload,
  resource: OpenApiResource,
): { code: number; payload: Payload }[] {
  const responses = (payload: Payload, ...codes: number[]) => codes.map((code) => ({ code, payload }));
  switch (action.verb) {
    case 'list':
      return responses({ list: resource }, 200);
    case 'create':
      return responses(item, 200, 201, 202);
    case 'patch':
      return resource.custom ? responses(item, 200) : responses(item, 200, 201);
    case 'update':
      return responses(item, 200, 201);
    case 'delete':
      return responses(resource.returnsDeleted === true ? item : status, 200, 202);
    case 'deletecollection':
      return responses(status, 200);
    default:
      return responses(item, 200);
  }
}

/** The deprecated paths below `watch/`: of a list, of all namespaces, of one object. Custom resources do not have them. */
function watchOperations(gv: OpenApiGroupVersion, root: string, resource: OpenApiResource): OpenApiOperation[] {
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

const noun = (kind: string): string => {
  if (kind.endsWith('s') && !kind.endsWith('ss')) return kind;
  return `${/^[aeiou]/i.test(kind) ? 'an' : 'a'} ${kind}`;
};
const specified = (kind: string): string => `the specified ${kind}`;
const objects = (kind: string): string => `objects of kind ${kind}`;

const phrases: Readonly<Record<string, readonly [words: string, object: (kind: string) => string]>> = {
  list: ['list or watch', objects],
  create: ['create', noun],
  deletecollection: ['delete collection of', (kind) => kind],
  get: ['read', specified],
  update: ['replace', specified],
  delete: ['delete', noun],
  patch: ['partially update', specified],
};
const customPhrases: typeof phrases = { ...phrases, list: ['list', objects] };

/** The description of an operation, with the words of kube-apiserver: `read status of the specified Pod`. */
export function operationDescription(verb: string, kind: string, subresource: string, isCustom: boolean): string {
  const [words, object] = (isCustom ? customPhrases : phrases)[verb] ?? [verb, specified];
  return `${words} ${subresource === '' ? '' : `${subresource} of `}${object(kind)}`;
}
