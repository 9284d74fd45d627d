import type { RegistryStore } from '@apichain/apiserver';
import type { Authorizer } from '@apichain/authz';
import { newBadRequest, type KubeObject } from '@apichain/meta';
import { at, records, text } from '@apichain/kinds';
import type { Kubelets } from './kubelets.ts';

/** What connections are made with besides the object that they name. */
export interface ConnectParts {
  readonly authorizer: Authorizer;
  readonly kubelets: Kubelets;
  readonly nodes: () => RegistryStore;
  readonly endpoints: () => RegistryStore;
  readonly pods: () => RegistryStore;
}

/** The container of a pod that is meant: the one named, or the only one. Throws BadRequest where there is none such. */
export function containerOf(pod: KubeObject, wanted: string): string {
  const name = pod.metadata.name ?? '';
  const all = ['initContainers', 'containers', 'ephemeralContainers'].flatMap((kind) =>
    records(at(pod.spec, kind)).map((container) => text(container.name)),
  );
  if (wanted !== '') {
    if (all.includes(wanted)) return wanted;
    throw newBadRequest(`container ${wanted} is not valid for pod ${name}`);
  }
  const [only, ...others] = records(at(pod.spec, 'containers'));
  if (only !== undefined && others.length === 0) return text(only.name);
  throw newBadRequest(`a container name must be specified for pod ${name}, choose one of: [${all.join(' ')}]`);
}
