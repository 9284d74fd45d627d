import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  createCustomResourceHandler,
  defaultListOptions,
  internalContext,
  type ApiResource,
  type GenericApiServer,
  type GroupVersionHandler,
  type CustomResourceHandlerOptions,
} from '@apichain/apiserver';
import { writeNotFound, type RequestContext } from '@apichain/request';
import { formatGroupVersion, type GroupVersion } from '@apichain/meta';
import { isConditionTrue, type CustomResourceDefinition } from '@apichain/schema';
import { listEverything, readUid } from '@apichain/storage';
import { crdGroupVersion } from '../crd/crd-resource.ts';
import { CustomResource, storageVersionName, type CustomResourceServices } from './custom-resource.ts';

const groupPriorityMinimum = 1000;
const versionPriority = 100;
/** The group-version of this server, which no CRD can replace. */
const ownGroupVersion = formatGroupVersion(crdGroupVersion);

/** Dispatches the custom resources of one group-version: one handler each; other resources are delegated to the next server. */
class GroupVersionDispatcher implements GroupVersionHandler {
  readonly handlers = new Map<string, GroupVersionHandler>();
  readonly #server: GenericApiServer;

  constructor(server: GenericApiServer) {
    this.#server = server;
  }

  async handle(ctx: RequestContext, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { resource } = ctx.requestInfo;
    const { delegate, catchUp } = this.#server.config;
    let handler = this.handlers.get(resource);
    if (handler === undefined && (await catchUp?.(ctx.signal)) === true) handler = this.handlers.get(resource);
    if (handler !== undefined) return handler.handle(ctx, request, response);
    if (delegate === undefined) return writeNotFound(response);
    await delegate.handle(request, response);
  }
}

/** Creates the handler with the first request, once the resource is prepared. */
function lazyHandler(resource: CustomResource, make: () => GroupVersionHandler): GroupVersionHandler {
  let made: GroupVersionHandler | undefined;
  const first: GroupVersionHandler['handle'] = async (ctx, request, response) => {
    await resource.prepare();
    made ??= make();
    return made.handle(ctx, request, response);
  };
  return {
    handle(ctx, request, response) {
      if (made !== undefined) return made.handle(ctx, request, response);
      return first(ctx, request, response);
    },
  };
}

/** Serves every established CRD: installs, replaces and removes resources when CRDs change. */
export class CustomResources {
  readonly #server: GenericApiServer;
  readonly #services: CustomResourceServices;
  readonly #handlerOptions: CustomResourceHandlerOptions;
  readonly #served = new Map<string, CustomResource>();
  readonly #dispatchers = new Map<
    string,
    { readonly groupVersion: GroupVersion; readonly dispatcher: GroupVersionDispatcher }
  >();
  #revision = 0;

  constructor(
    server: GenericApiServer,
    services: CustomResourceServices,
    handlerOptions: CustomResourceHandlerOptions,
  ) {
    this.#server = server;
    this.#services = services;
    this.#handlerOptions = handlerOptions;
  }

  /** The number of changes of the served resources. */
  get revision(): number {
    return this.#revision;
  }
  /** The served resources, sorted by the name of the CRD. */
  get served(): readonly CustomResource[] {
    return [...this.#served].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, resource]) => resource);
  }

  /** Applies the current state of a CRD; undefined = the CRD was deleted. */
  apply(name: string, crd: CustomResourceDefinition | undefined): void {
    const before = this.#served.get(name);
    const wanted = crd !== undefined && isServable(crd) ? crd : undefined;
    if (before === undefined && wanted === undefined) return;
    if (before !== undefined && wanted !== undefined && before.serves(wanted)) return this.#describe(before, wanted);
    const after = wanted === undefined ? undefined : new CustomResource(wanted, this.#services);
    if (after === undefined) this.#served.delete(name);
    else this.#served.set(name, after);
    const touched = new Map([...groupVersions(before), ...groupVersions(after)]);
    for (const groupVersion of touched.values()) this.#install(groupVersion, before, after);
    this.#revision++;
    before?.close().catch((error: unknown) => {
      this.#server.config.logger.warn({ err: error, crd: name }, 'closing a custom resource failed');
    });
  }

  /** The served resource stays the same; its discovery data may change. */
  #describe(resource: CustomResource, crd: CustomResourceDefinition): void {
    const isTerminating = isConditionTrue(crd, 'Terminating');
    if (resource.isTerminating === isTerminating) return;
    resource.isTerminating = isTerminating;
    for (const [key, groupVersion] of groupVersions(resource)) {
      const dispatcher = this.#dispatchers.get(key)?.dispatcher;
      if (dispatcher !== undefined) this.#announce(groupVersion, dispatcher);
    }
  }

  #announce(groupVersion: GroupVersion, dispatcher: GroupVersionDispatcher): void {
    this.#server.setGroupVersion(groupVersion, dispatcher, this.#apiResources(groupVersion), {
      groupPriorityMinimum,
      versionPriority: { [groupVersion.version]: versionPriority },
    });
  }

  #install(groupVersion: GroupVersion, before: CustomResource | undefined, after: CustomResource | undefined): void {
    const key = formatGroupVersion(groupVersion);
    if (key === ownGroupVersion) return;
    const entry = this.#dispatchers.get(key) ?? {
      groupVersion,
      dispatcher: new GroupVersionDispatcher(this.#server),
    };
    const { handlers } = entry.dispatcher;
    if (before !== undefined) handlers.delete(pluralOf(before));
    const version = after?.servedVersions.find(
      (v) => v.name === groupVersion.version && after.crd.spec.group === groupVersion.group,
    );
    if (after !== undefined && version !== undefined)
      handlers.set(
        pluralOf(after),
        lazyHandler(after, () =>
          createCustomResourceHandler(groupVersion, after.storages(version), this.#handlerOptions),
        ),
      );
    if (handlers.size === 0) {
      this.#dispatchers.delete(key);
      this.#server.removeGroupVersion(groupVersion).catch((error: unknown) => {
        this.#server.config.logger.warn({ err: error, groupVersion: key }, 'removing a group-version failed');
      });
      return;
    }
    this.#dispatchers.set(key, entry);
    this.#announce(groupVersion, entry.dispatcher);
  }

  #apiResources({ group, version }: GroupVersion): ApiResource[] {
    return this.served
      .filter((resource) => resource.crd.spec.group === group)
      .flatMap((resource) =>
        resource.servedVersions.filter((v) => v.name === version).flatMap((v) => resource.apiResources(v)),
      );
  }

  /** Deletes every instance of a CRD, namespace by namespace. Resolves with the number of remaining instances (finalizers). */
  async removeInstances(crd: CustomResourceDefinition, signal: AbortSignal): Promise<number> {
    const name = crd.metadata.name ?? '';
    const served = this.#served.get(name);
    const resource = served ?? new CustomResource(crd, this.#services);
    try {
      return await deleteAll(resource, signal);
    } finally {
      if (served === undefined) await resource.close();
    }
  }

  /**
   * Deletes the instances that another server has created for a CRD after it was deleted, because it did not know yet. `isDefined` says whether a CRD
   * of this name has been created since: then nothing is deleted.
   */
  async removeStragglers(
    crd: CustomResourceDefinition,
    isDefined: () => Promise<boolean>,
    signal: AbortSignal,
  ): Promise<void> {
    const resource = new CustomResource(crd, this.#services);
    try {
      await resource.prepare();
      const { items } = await listAll(resource, signal);
      // If there is no CRD after the list was read, what the list has is of none that is still to come.
      if (items.length === 0 || (await isDefined())) return;
      for (const item of items) {
        const { namespace, name } = placeOf(resource, item.key);
        const uid = await readUid(item);
        const ctx = removalContext(resource, namespace, 'delete', signal);
        await resource.instances.delete(ctx, name, uid === '' ? {} : { preconditions: { uid } });
      }
    } finally {
      await resource.close();
    }
  }

  async close(): Promise<void> {
    const served = [...this.#served.values()];
    this.#served.clear();
    await Promise.all(served.map((resource) => resource.close()));
  }
}

const isServable = (crd: CustomResourceDefinition): boolean =>
  isConditionTrue(crd, 'Established') && crd.spec.versions.some((v) => v.served);

const pluralOf = ({ crd }: CustomResource): string => crd.status?.acceptedNames?.plural ?? crd.spec.names.plural ?? '';

function groupVersions(resource: CustomResource | undefined): [string, GroupVersion][] {
  if (resource === undefined) return [];
  return resource.servedVersions.map((v) => {
    const groupVersion = { group: resource.crd.spec.group, version: v.name };
    return [formatGroupVersion(groupVersion), groupVersion];
  });
}

async function deleteAll(resource: CustomResource, signal: AbortSignal): Promise<number> {
  await resource.prepare();
  const list = await listAll(resource, signal);
  const namespaces = new Set(list.items.map((item) => placeOf(resource, item.key).namespace));
  for (const namespace of namespaces) {
    const ctx = removalContext(resource, namespace, 'deletecollection', signal);
    await resource.instances.deleteCollection(ctx, {}, defaultListOptions);
  }
  return namespaces.size === 0 ? 0 : resource.defined.storage.count(directoryOf(resource));
}

/** From the key: an object that was only read from etcd would have to be parsed for its attributes. */
function placeOf(resource: CustomResource, key: string): { readonly namespace: string; readonly name: string } {
  const [name = '', namespace = ''] = key.slice(directoryOf(resource).length).split('/').reverse();
  return { namespace, name };
}

const directoryOf = ({ defined }: CustomResource): string => `${defined.store.layout.prefix}/`;

const listAll = (resource: CustomResource, signal: AbortSignal) =>
  resource.defined.storage.list(directoryOf(resource), { ...listEverything, signal });

const removalContext = (resource: CustomResource, namespace: string, verb: string, signal: AbortSignal) =>
  internalContext(
    { group: resource.crd.spec.group, version: storageVersionName(resource.crd), resource: pluralOf(resource) },
    { namespace, verb, signal },
  );
