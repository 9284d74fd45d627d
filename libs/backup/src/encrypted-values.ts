import { encryptionOf } from '@apichain/storage';
import { StoredResources, resourceName } from './stored-resources.ts';

/** Counts values that are encrypted, by resource. */
export class EncryptedValues {
  readonly #prefix: string;
  readonly #counts = new Map<string, number>();
  #builtin: StoredResources | undefined;

  /** `prefix`: of all keys of the API servers. */
  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  add({ key, value }: { readonly key: Buffer; readonly value: Buffer }): void {
    if (encryptionOf(value) === undefined) return;
    const below = key.toString('utf8').slice(this.#prefix.length);
    this.#builtin ??= new StoredResources([]);
    const place = this.#builtin.placeOf(below);
    // The directory of a custom resource says its group and its name.
    const [, group = '', plural = ''] = below.split('/');
    const name = place === undefined ? `${plural}.${group}` : resourceName(place.resource);
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  /** The number of encrypted values by the name of the resource (`secrets`), the most frequent first. */
  get counts(): ReadonlyMap<string, number> {
    return new Map([...this.#counts].sort(([, a], [, b]) => b - a));
  }
}
