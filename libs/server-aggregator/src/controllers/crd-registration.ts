import type { InformerHandlers } from '@apichain/client';
import type { KubeObject } from '@apichain/meta';
import { customResourcePriority } from '../priorities.ts';
import type { AutoRegistration } from './auto-registration.ts';

interface CustomResourceDefinition extends KubeObject {
  spec: { group: string; versions: { name: string; served: boolean }[] };
}

/**
 * Maintains one automanaged APIService for every group-version that at least one CRD serves, or will serve once its names are accepted. After
 * kube-apiserver's crd-autoregister controller.
 */
export class CrdRegistration {
  readonly #registration: Pick<AutoRegistration, 'add' | 'remove'>;
  /** `group/version` -> names of the CRDs that serve it. */
  readonly #servedBy = new Map<string, Set<string>>();

  /** `informer` watches the CustomResourceDefinitions. */
  constructor(
    informer: { addHandlers(handlers: InformerHandlers): unknown },
    registration: Pick<AutoRegistration, 'add' | 'remove'>,
  ) {
    this.#registration = registration;
    informer.addHandlers({
      onAdd: (object) => this.#update(object as CustomResourceDefinition),
      onUpdate: (object) => this.#update(object as CustomResourceDefinition),
      onDelete: (object) => this.#forget(object.metadata.name ?? '', new Set()),
    });
  }

  #update(crd: CustomResourceDefinition): void {
    const name = crd.metadata.name ?? '';
    const served = new Set(crd.spec.versions.filter((v) => v.served).map((v) => `${crd.spec.group}/${v.name}`));
    this.#forget(name, served);
    for (const groupVersion of served) {
      const names = this.#servedBy.get(groupVersion);
      if (names !== undefined) {
        names.add(name);
        continue;
      }
      this.#servedBy.set(groupVersion, new Set([name]));
      const [group = '', version = ''] = groupVersion.split('/');
      this.#registration.add({ group, version, priority: customResourcePriority, managed: 'true' });
    }
  }

  #forget(name: string, except: ReadonlySet<string>): void {
    for (const [groupVersion, names] of this.#servedBy) {
      if (except.has(groupVersion) || !names.delete(name) || names.size > 0) continue;
      this.#servedBy.delete(groupVersion);
      const [group = '', version = ''] = groupVersion.split('/');
      this.#registration.remove(group, version);
    }
  }
}
