import { type RegistryStore, type ResourceStorage, type ResourceVersion, StoredResource } from '@apichain/apiserver';
import { CreateOnlyStorage } from '@apichain/kinds';
import type { BuiltinResource } from '@apichain/kinds';
import { bindPod } from './binding.ts';
import { evictPod } from './eviction.ts';

/** What is done to pods by creating something else: a Binding, an Eviction. `budgets` are the PodDisruptionBudgets. */
export function podActions(
  info: BuiltinResource['info'],
  version: ResourceVersion,
  store: RegistryStore,
  budgets: () => RegistryStore,
): ResourceStorage[] {
  const pods = new StoredResource({
    path: 'pods',
    info: version.info,
    type: version.type,
    codec: version.codec,
    store,
  });
  const binding = { ...info, kind: { group: '', version: 'v1', kind: 'Binding' } };
  const eviction = { ...info, kind: { group: 'policy', version: 'v1', kind: 'Eviction' } };
  return [
    new CreateOnlyStorage({
      path: 'pods/binding',
      info: binding,
      keepsSystemFields: true,
      create: (ctx, name, object, options) => bindPod(store, ctx, name, object, options),
    }),
    new CreateOnlyStorage({
      path: 'pods/eviction',
      info: eviction,
      acceptedVersions: ['v1beta1'],
      create: (ctx, name, object, options) =>
        evictPod(
          { pods: store, budgets },
          (context, pod, deleteOptions) => pods.delete(context, pod, deleteOptions),
          ctx,
          name,
          object,
          options,
        ),
    }),
  ];
}
