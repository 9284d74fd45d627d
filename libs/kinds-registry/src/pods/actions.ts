import { type ResourceStorage, StoredResource, type GracefulDeleteOptions } from '@apichain/apiserver';
import { CreateOnlyStorage } from '@apichain/kinds';
import type { Binding, Pod } from '@apichain/api/core/v1';
import type { Eviction } from '@apichain/api/policy/v1';
import type { HookContext, StoredVersion } from '../strategies/server-hooks.ts';
import { bindPod } from './binding.ts';
import { evictPod } from './eviction.ts';

/** Actions on pods that are requested by creating another object: a Binding, an Eviction. */
export function podActions(
  { resource: { info }, version, store }: StoredVersion<Pod>,
  server: HookContext,
): ResourceStorage[] {
  const budgets = () => server.store('poddisruptionbudgets.policy');
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
