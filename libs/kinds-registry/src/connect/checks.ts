import type { Pod } from '@apichain/api/core/v1';
import type { KindStore } from '../kind-store.ts';
import type { Authorizer } from '@apichain/authz';
import { newBadRequest } from '@apichain/meta';
import type { Kubelets } from './kubelets.ts';

/** What connections need besides the object that they name. */
export interface ConnectParts {
  readonly authorizer: Authorizer;
  readonly kubelets: Kubelets;
  readonly nodes: () => KindStore<'nodes'>;
  readonly services: () => KindStore<'services'>;
  readonly endpoints: () => KindStore<'endpoints'>;
  readonly pods: () => KindStore<'pods'>;
}

/** The named container of a pod, or its only container. Throws BadRequest when there is no such container. */
export function containerOf(pod: Pod, wanted: string): string {
  const name = pod.metadata.name ?? '';
  const all = (['initContainers', 'containers', 'ephemeralContainers'] as const).flatMap((kind) =>
    (pod.spec?.[kind] ?? []).map((container) => container.name ?? ''),
  );
  if (wanted !== '') {
    if (all.includes(wanted)) return wanted;
    throw newBadRequest(`container ${wanted} is not valid for pod ${name}`);
  }
  const [only, ...others] = pod.spec?.containers ?? [];
  if (only !== undefined && others.length === 0) return only.name ?? '';
  throw newBadRequest(`a container name must be specified for pod ${name}, choose one of: [${all.join(' ')}]`);
}
