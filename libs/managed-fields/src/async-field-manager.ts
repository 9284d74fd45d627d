import { stringifyJson, type KubeObject } from '@apichain/meta';
import { FieldManager, type FieldManagerOptions } from './field-manager.ts';
import { PendingConversion } from './versions.ts';

export interface AsyncFieldManagerOptions extends Omit<FieldManagerOptions, 'convert'> {
  /** The object in another version, from a webhook; undefined when that version is unknown. */
  readonly convert: (object: KubeObject, apiVersion: string) => Promise<KubeObject | undefined>;
}

/**
 * FieldManager for kinds whose versions are converted by a webhook. Ownership is computed without waiting; where a
 * conversion is missing it is fetched and the computation starts over, which only happens to objects with managers in
 * several versions.
 */
export class AsyncFieldManager {
  readonly #inner: FieldManager;
  readonly #convert: AsyncFieldManagerOptions['convert'];
  #conversions = new Map<string, KubeObject | undefined>();

  constructor(options: AsyncFieldManagerOptions) {
    this.#convert = options.convert;
    this.#inner = new FieldManager({
      ...options,
      convert: (object, apiVersion) => {
        const key = conversionKey(object, apiVersion);
        if (!this.#conversions.has(key)) throw new PendingConversion(object, apiVersion);
        return this.#conversions.get(key);
      },
    });
  }

  /** As FieldManager.update. */
  async update(live: KubeObject | undefined, updated: KubeObject, manager: string): Promise<KubeObject> {
    try {
      return await this.#run(() => this.#inner.update(live, updated, manager));
    } catch {
      // An update never fails because its fields cannot be tracked.
      const { managedFields: _, ...metadata } = updated.metadata;
      const known = live?.metadata.managedFields;
      return { ...updated, metadata: known === undefined ? metadata : { ...metadata, managedFields: known } };
    }
  }

  /** As FieldManager.apply; rejects with the error of a conversion that fails too. */
  apply(live: KubeObject | undefined, applied: KubeObject, manager: string, force: boolean): Promise<KubeObject> {
    return this.#run(() => this.#inner.apply(live, applied, manager, force));
  }

  async #run(attempt: () => KubeObject): Promise<KubeObject> {
    const conversions = new Map<string, KubeObject | undefined>();
    for (;;) {
      // Nothing else runs between this and the end of the attempt.
      this.#conversions = conversions;
      try {
        return attempt();
      } catch (error) {
        if (!(error instanceof PendingConversion)) throw error;
        const { object, apiVersion } = error;
        conversions.set(conversionKey(object, apiVersion), await this.#convert(object, apiVersion));
      }
    }
  }
}

const conversionKey = (object: KubeObject, apiVersion: string): string => `${apiVersion} ${stringifyJson(object)}`;
