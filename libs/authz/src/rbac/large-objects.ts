import { readStored, type StoredObject } from '@apichain/storage';
import { bindingOf, rulesOfRole } from './objects.ts';
import type { PolicyRule, Subject } from './policy-rule.ts';
import type { LateBinding, RoleBinding } from './role-source.ts';
import { SubjectIndex } from './subject-index.ts';

/**
 * Who may write roles may write many large ones, and a rule takes several times the memory of its JSON. So what is larger than this, in bytes, is
 * read when a decision needs it, in steps. The JSON is that of the watch cache.
 */
const largeBytes = 32 * 1024;
/** The size of the roles whose rules are kept after they were read, in bytes of JSON. */
const keptBytes = 8 * 1024 * 1024;

/** Whether a stored role or binding is read only when it is needed. */
export const isLarge = ({ json }: StoredObject): boolean => json.length > largeBytes;

/** A stored binding that is read with the first decision that needs it. */
export class LargeBinding implements LateBinding {
  readonly #stored: StoredObject;
  #read: RoleBinding | Promise<RoleBinding> | undefined;

  constructor(stored: StoredObject) {
    this.#stored = stored;
  }

  get(): RoleBinding | Promise<RoleBinding> {
    return (this.#read ??= this.#load());
  }

  async #load(): Promise<RoleBinding> {
    const binding = withIndex(bindingOf(await readStored(this.#stored)));
    this.#read = binding;
    return binding;
  }
}

/** Bindings with more subjects than this get an index. */
const mostScanned = 16;

/** A binding whose subjects are found quickly, because every request of its namespace looks for them. */
export function withIndex(binding: RoleBinding<readonly Subject[]>): RoleBinding {
  const { subjects, namespace } = binding;
  return subjects.length > mostScanned ? { ...binding, subjects: new SubjectIndex(subjects, namespace) } : binding;
}

/** The rules of the large roles that were needed last. */
export class LargeRoles {
  readonly #rules = new Map<StoredObject, readonly PolicyRule[] | Promise<readonly PolicyRule[]>>();
  #bytes = 0;

  rulesOf(stored: StoredObject): readonly PolicyRule[] | Promise<readonly PolicyRule[]> {
    const known = this.#rules.get(stored);
    if (known === undefined) {
      const reading = this.#read(stored);
      this.#keep(stored, reading);
      return reading;
    }
    // The entry becomes the newest.
    this.#rules.delete(stored);
    this.#rules.set(stored, known);
    return known;
  }

  async #read(stored: StoredObject): Promise<readonly PolicyRule[]> {
    const rules = rulesOfRole(await readStored(stored));
    if (this.#rules.has(stored)) this.#rules.set(stored, rules);
    return rules;
  }

  #keep(stored: StoredObject, rules: Promise<readonly PolicyRule[]>): void {
    this.#rules.set(stored, rules);
    this.#bytes += stored.json.length;
    for (const oldest of this.#rules.keys()) {
      if (this.#bytes <= keptBytes || oldest === stored) return;
      this.#rules.delete(oldest);
      this.#bytes -= oldest.json.length;
    }
  }
}
