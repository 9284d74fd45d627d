import type { VersionConverter } from '@apichain/custom-resources';
import { formatGroupVersion, pause, type KubeObject } from '@apichain/meta';
import type { ResourceDefinition } from './definition.ts';

/** Converts objects with the functions of a definition, by way of the storage version. Metadata is not changed. */
export class FunctionConverter implements VersionConverter {
  readonly #group: string;
  readonly #storage: string;
  readonly #conversions: ResourceDefinition['conversions'];

  /** `storageVersion`: the name of the storage version. */
  constructor(definition: ResourceDefinition, storageVersion: string) {
    this.#group = definition.crd.spec.group;
    this.#storage = formatGroupVersion({ group: this.#group, version: storageVersion });
    this.#conversions = definition.conversions;
  }

  #converted(object: KubeObject, apiVersion: string): KubeObject {
    if (object.apiVersion === apiVersion) return object;
    const stored =
      object.apiVersion === this.#storage
        ? object
        : this.#convert(object, this.#storage, 'toStorage', object.apiVersion);
    return apiVersion === this.#storage ? stored : this.#convert(stored, apiVersion, 'fromStorage', apiVersion);
  }

  async convert(objects: readonly KubeObject[], apiVersion: string): Promise<readonly KubeObject[]> {
    const converted: KubeObject[] = [];
    for (const object of objects) {
      converted.push(this.#converted(object, apiVersion));
      const wait = pause();
      if (wait !== undefined) await wait;
    }
    return converted;
  }

  /** An unknown version keeps the fields: the store may hold objects of a version that is no longer served. */
  #convert(object: KubeObject, apiVersion: string, direction: 'toStorage' | 'fromStorage', other: string): KubeObject {
    const { kind, metadata } = object;
    const convert = this.#conversions[other.slice(this.#group.length + 1)]?.[direction];
    return convert === undefined ? { ...object, apiVersion } : { ...convert(object), apiVersion, kind, metadata };
  }
}
