import type { Binding } from '@apichain/api/core/v1';
import type { ResourceStorage } from '@apichain/apiserver';
import { CreateOnlyStorage, resourceKey, tableConvertor, type BuiltinResource } from '@apichain/kinds';
import { accessReviewStorage } from './access-reviews.ts';
import { ComponentStatusStorage } from './component-statuses.ts';
import { bindPod } from './pods/binding.ts';
import type { HookContext } from './strategies/server-hooks.ts';

type VirtualStorage = (resource: BuiltinResource, server: HookContext) => ResourceStorage;

const componentStatuses: VirtualStorage = ({ info }, { options }) =>
  new ComponentStatusStorage(info, tableConvertor('', info.kind.kind), options.componentProbes ?? {});

/** The handler of `pods/binding`, with the name of the pod in the body. */
const bindings: VirtualStorage = ({ info }, { store }) =>
  new CreateOnlyStorage<Binding>({
    path: info.plural,
    info,
    create: (ctx, _name, binding, options) => bindPod(store('pods'), ctx, '', binding, options),
  });

const storages: Readonly<Record<string, VirtualStorage | undefined>> = {
  bindings,
  componentstatuses: componentStatuses,
};

/** The storage of a resource without stored objects: a row of this file, or a review. Undefined for other resources. */
export function virtualStorage(resource: BuiltinResource, server: HookContext): ResourceStorage | undefined {
  const make = storages[resourceKey(resource.group, resource.info.plural)];
  return make?.(resource, server) ?? accessReviewStorage(resource, server.options);
}
