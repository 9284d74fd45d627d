import {
  type ResourceStorage,
  type ResourceVersion,
  StoredResource,
  type GracefulDeleteOptions,
} from '@apichain/apiserver';
import { CreateOnlyStorage, type BuiltinResource } from '@apichain/kinds';
import type { Binding } from '@apichain/api/core/v1';
import type { Eviction } from '@apichain/api/policy/v1';
import type { KindStore } from '../kind-store.ts';
import { bindPod } from './binding.ts';
import { evictPod } from './eviction.ts';

/** What is done to pods by creating something else: a Binding, an Eviction. `budgets` are the PodDisruptionBudgets. */
export function podActions(
  info: BuiltinResource['info'],
  version: ResourceVersion,
  store: KindStore<'pods'>,
  budgets: () => KindStore<'poddisruptionbudgets.policy'>,
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
    new CreateOnlyStorage<Binding>({
      path: 'pods/binding',
      info: binding,
      keepsSystemFields: true,
      create: (ctx, name, object, options) => bindPod(store, ctx, name, object, options),
    }),
    new CreateOnlyStorage<Eviction>({
      path: 'pods/eviction',
      info: eviction,
      acceptedVersions: ['v1beta1'],
      create: (ctx, name, object, options) =>
        evictPod(
          { pods: store, budgets },
          (context, pod, deleteOptions) => pods.delete(context, pod, deleteOptions as GracefulDeleteOptions),
          ctx,
          name,
          object,
          options,
        ),
    }),
  ];
}
