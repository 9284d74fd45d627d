import {
  composeAdmission,
  DefaultTolerationSeconds,
  liveNamespaceLookup,
  NamespaceLifecycle,
  Priority,
  priorityClassOf,
  StorageObjectInUseProtection,
  TaintNodesByCondition,
  type AdmissionChain,
  type PriorityClassLookup,
} from '@apichain/admission';
import type { BuiltinApi } from '@apichain/kinds';
import { newNotFound, type KubeObject } from '@apichain/meta';
import { KeyNotFoundError } from '@apichain/storage';
import type { KubeCoreOptions } from './options.ts';

const everything = { matches: () => true, everything: true, exactFields: {} };

/** The stored object; undefined when there is none or its resource is not served. '0' may be a little behind. */
async function read(
  api: BuiltinApi,
  group: string,
  resource: string,
  name: string,
  resourceVersion: '' | '0',
): Promise<KubeObject | undefined> {
  const defined = api.resource(group, resource);
  if (defined === undefined) return undefined;
  try {
    return (await defined.storage.get(`${defined.store.layout.prefix}/${name}`, { resourceVersion })).parse();
  } catch (error) {
    if (error instanceof KeyNotFoundError) return undefined;
    throw error;
  }
}

function namespaceLookup(api: () => BuiltinApi): ReturnType<typeof liveNamespaceLookup> {
  return liveNamespaceLookup(async (name) => {
    const namespace = await read(api(), '', 'namespaces', name, '');
    if (namespace === undefined) throw newNotFound({ group: '', resource: 'namespaces' }, name);
    return namespace;
  });
}

function priorityClasses(api: () => BuiltinApi): PriorityClassLookup {
  const group = 'scheduling.k8s.io';
  const resource = 'priorityclasses';
  return {
    async get(name) {
      const found = await read(api(), group, resource, name, '');
      return found === undefined ? undefined : priorityClassOf(found);
    },
    async list() {
      const defined = api().resource(group, resource);
      const { items = [] } =
        (await defined?.storage.list(`${defined.store.layout.prefix}/`, {
          resourceVersion: '0',
          limit: 0,
          continue: '',
          predicate: everything,
        })) ?? {};
      return items.map((item) => priorityClassOf(item.parse()));
    },
  };
}

/** The admission plugins of kube-core, as the flags select them. `api` is asked when the first request comes. */
export function admissionChain(options: KubeCoreOptions, api: () => BuiltinApi): AdmissionChain {
  const { chain, warnings } = composeAdmission(
    {
      NamespaceLifecycle: () => new NamespaceLifecycle(namespaceLookup(api)),
      Priority: () => new Priority(priorityClasses(api)),
      DefaultTolerationSeconds: () => new DefaultTolerationSeconds(),
      TaintNodesByCondition: () => new TaintNodesByCondition(),
      StorageObjectInUseProtection: () => new StorageObjectInUseProtection(),
    },
    options.admission,
  );
  for (const warning of warnings) options.config.logger.warn(warning);
  return chain;
}
