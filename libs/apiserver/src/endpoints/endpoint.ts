import { currentSpan, runInSpan } from '@apichain/client';
import type { GroupVersion } from '@apichain/meta';
import type {
  CollectionDeleter,
  Connecter,
  Creater,
  Getter,
  GracefulDeleter,
  Lister,
  ResourceStorage,
  Updater,
  Watcher,
} from '../registry/rest.ts';
import { connectResource } from './connect.ts';
import { createResource } from './create.ts';
import { deleteCollectionOf, deleteResource } from './delete.ts';
import { getResource } from './get.ts';
import { listResource } from './list.ts';
import { patchResource } from './patch.ts';
import { endpointScope, type EndpointRequest, type EndpointScope, type EndpointServices } from './scope.ts';
import { updateResource } from './update.ts';

const isGetter = (s: ResourceStorage): s is Getter => 'get' in s;
const isLister = (s: ResourceStorage): s is Lister => 'list' in s;
const isWatcher = (s: ResourceStorage): s is Watcher => 'watch' in s;
const isCreater = (s: ResourceStorage): s is Creater => 'create' in s;
const isUpdater = (s: ResourceStorage): s is Updater => 'update' in s;
const isDeleter = (s: ResourceStorage): s is GracefulDeleter => 'delete' in s;
const isCollectionDeleter = (s: ResourceStorage): s is CollectionDeleter => 'deleteCollection' in s;
const isConnecter = (s: ResourceStorage): s is Connecter => 'connect' in s;

type Serve = (call: EndpointRequest, subpath: string) => Promise<void>;
export type Methods = ReadonlyMap<string, Serve>;

/** The handlers of one storage by HTTP method: for the collection, for one object, and for the watch by path. */
export interface Endpoint {
  readonly scope: EndpointScope;
  readonly collection: Methods;
  /** Handlers of the collection across all namespaces, which is read-only. */
  readonly collectionOfAll: Methods;
  readonly named: Methods;
  readonly watch: Methods;
  /** Whether any path may follow the endpoint's path. */
  readonly takesSubpath: boolean;
  /** Whether the response is text, as for pods/log. Errors are objects. */
  readonly isText: boolean;
  readonly warning: string | undefined;
}

function collectionMethods(scope: EndpointScope, storage: ResourceStorage): Map<string, Serve> {
  const methods = new Map<string, Serve>();
  if (isLister(storage) || isWatcher(storage)) {
    const lister = isLister(storage) ? storage : undefined;
    methods.set(
      'GET',
      spanned('List', scope, (call) => listResource(scope, lister, call, false)),
    );
  }
  if (isCreater(storage))
    methods.set(
      'POST',
      spanned('Create', scope, (call) => createResource(scope, storage, call)),
    );
  if (isCollectionDeleter(storage))
    methods.set(
      'DELETE',
      spanned('Delete', scope, (call) => deleteCollectionOf(scope, storage, call)),
    );
  return methods;
}

function namedMethods(scope: EndpointScope, storage: ResourceStorage): Map<string, Serve> {
  const methods = new Map<string, Serve>();
  if (isConnecter(storage)) {
    for (const method of storage.connectMethods) {
      methods.set(method, (call, subpath) => connectResource(scope, storage, call, subpath));
    }
    return methods;
  }
  if (isGetter(storage))
    methods.set(
      'GET',
      spanned('Get', scope, (call) => getResource(scope, storage, call)),
    );
  if (isUpdater(storage)) {
    methods.set(
      'PUT',
      spanned('Update', scope, (call) => updateResource(scope, storage, call)),
    );
    if (isGetter(storage))
      methods.set(
        'PATCH',
        spanned('Patch', scope, (call) => patchResource(scope, storage, call)),
      );
  }
  if (isDeleter(storage))
    methods.set(
      'DELETE',
      spanned('Delete', scope, (call) => deleteResource(scope, storage, call)),
    );
  // A POST to a subresource takes the name of its object from the path.
  if (scope.subresource !== '' && isCreater(storage)) {
    methods.set(
      'POST',
      spanned('Create', scope, (call) => createResource(scope, storage, call)),
    );
  }
  return methods;
}

/** Builds the endpoint of a storage at installation. */
export function endpointOf(storage: ResourceStorage, groupVersion: GroupVersion, services: EndpointServices): Endpoint {
  const [resource = ''] = storage.path.split('/');
  const scope = endpointScope(storage, { ...groupVersion, resource }, services);
  const collection = scope.subresource === '' ? collectionMethods(scope, storage) : new Map<string, Serve>();
  const list = collection.get('GET');
  const lister = isLister(storage) ? storage : undefined;
  return {
    scope,
    collection,
    collectionOfAll: new Map(list === undefined ? [] : [['GET', list]]),
    named: namedMethods(scope, storage),
    watch: new Map(
      isWatcher(storage) ? [['GET', (call: EndpointRequest) => listResource(scope, lister, call, true)]] : [],
    ),
    takesSubpath: isConnecter(storage) && storage.readsOnly !== true,
    isText: isConnecter(storage) && storage.readsOnly === true,
    warning: storage.deprecationWarning,
  };
}

/** Wraps an endpoint in a span, named as in k8s.io/apiserver, if the request is traced. */
function spanned(name: string, { resource, subresource }: EndpointScope, serve: Serve): Serve {
  const resourceName = subresource === '' ? resource.resource : `${resource.resource}/${subresource}`;
  return (call, subpath) => {
    const request = currentSpan();
    const { ctx, request: message } = call;
    // A watch is not counted as a list, and its span would last as long as the watch.
    if (request === undefined || ctx.requestInfo.verb === 'watch') return serve(call, subpath);
    const span = request.child(name, 'internal', {
      accept: message.headers.accept ?? '',
      protocol: `HTTP/${message.httpVersion}`,
      resource: resourceName,
      url: ctx.requestInfo.path,
      'user-agent': ctx.userAgent,
      verb: message.method ?? '',
    });
    if (span === undefined) return serve(call, subpath);
    return runInSpan(span, () => serve(call, subpath)).finally(() => span.end());
  };
}
