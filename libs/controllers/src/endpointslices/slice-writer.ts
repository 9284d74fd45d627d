import type { EndpointSlice } from '@apichain/api/discovery/v1';
import { type Index, type Informer, type RestClient, resourceVersionOf } from '@apichain/client';
import { currentTime, errorMessage, isNamespaceTerminating, isStatusError } from '@apichain/meta';
import { slicesOf } from '../resources.ts';
import type { SlicePlan } from './slice-plan.ts';
import { byService, serviceKeyOf } from './slice.ts';

/** How long a write may stay unobserved. What is not observed after this time will not be. */
const observationTimeoutMs = 300_000;

interface Written {
  readonly at: number;
  /** Versions of slices that were written, by uid. Undefined for deleted ones. */
  readonly versions: Map<string, bigint | undefined>;
}

/** Writes the slices of services, and knows whether the informer shows what has been written. */
export class SliceWriter {
  readonly #client: RestClient;
  readonly #slices: Index<EndpointSlice>;
  readonly #written = new Map<string, Written>();

  constructor(client: RestClient, slices: Informer<EndpointSlice>) {
    this.#client = client;
    this.#slices = slices.index(byService);
    slices.addHandlers({
      onDelete: (slice) => this.#written.get(serviceKeyOf(slice) ?? '')?.versions.delete(slice.metadata.uid ?? ''),
    });
  }

  /** The slices of a service that `manager` manages. */
  slicesOf(key: string, isManaged: (slice: EndpointSlice) => boolean): EndpointSlice[] {
    return this.#slices.get(key).filter(isManaged);
  }

  /** Whether the informer does not show the last writes for a service yet. It will tell of them. */
  isBehind(key: string): boolean {
    const written = this.#written.get(key);
    if (written === undefined || currentTime() - written.at > observationTimeoutMs) return false;
    const shown = new Map(this.#slices.get(key).map((slice) => [slice.metadata.uid ?? '', resourceVersionOf(slice)]));
    for (const [uid, version] of written.versions) {
      const known = shown.get(uid);
      if (version === undefined ? known !== undefined : known === undefined || known < version) return true;
    }
    this.#written.delete(key);
    return false;
  }

  forget(key: string): void {
    this.#written.delete(key);
  }

  /** Creates, updates and deletes slices. `owner` names the owner in messages. Without `mayCreate`, because the owner is being deleted, nothing is created. */
  async write(key: string, owner: string, plan: SlicePlan, mayCreate: boolean): Promise<void> {
    const [namespace = ''] = key.split('/');
    const ref = { ...slicesOf, namespace };
    const what = async <T>(text: string, request: Promise<T>): Promise<T> => {
      try {
        return await request;
      } catch (error) {
        if (isNamespaceTerminating(error)) throw error;
        throw new Error(`failed to ${text} EndpointSlice for ${owner} ${key}: ${errorMessage(error)}`, {
          cause: error,
        });
      }
    };
    for (const slice of mayCreate ? plan.create : [])
      try {
        this.#note(key, await what('create', this.#client.create(ref, slice)));
      } catch (error) {
        if (isNamespaceTerminating(error)) return;
        throw error;
      }
    for (const slice of plan.update)
      this.#note(key, await what(`update ${slice.metadata.name}`, this.#client.update(ref, slice)));
    for (const slice of plan.delete) {
      const { name = '', uid = '' } = slice.metadata;
      await what(`delete ${name}`, this.#delete(namespace, name));
      this.#versions(key).set(uid, undefined);
    }
  }

  async #delete(namespace: string, name: string): Promise<void> {
    try {
      await this.#client.delete({ ...slicesOf, namespace }, name);
    } catch (error) {
      if (!isStatusError(error, 'NotFound')) throw error;
    }
  }

  #note(key: string, slice: EndpointSlice): void {
    this.#versions(key).set(slice.metadata.uid ?? '', resourceVersionOf(slice));
  }

  #versions(key: string): Map<string, bigint | undefined> {
    const versions = this.#written.get(key)?.versions ?? new Map<string, bigint | undefined>();
    this.#written.set(key, { at: currentTime(), versions });
    return versions;
  }
}
