import { readStored, type StoredObject } from '@apichain/storage';
import { bindingOf, rulesOfRole } from './objects.ts';
import type { PolicyRule, Subject } from './policy-rule.ts';
import type { LateBinding, RoleBinding } from './role-source.ts';
import { SubjectIndex } from './subject-index.ts';

/**
 * Who may write roles may write many large ones, and a rule takes several times the memory of its JSON. So what is larger than this, in bytes, is
 * read when a decision needs it, in steps: roles from the store, because each service of a chain would hold them, and bindings from their JSON, because
 * each decision in their namespace needs them.
 */
const largeBytes = 32 * 1024;
/** The size of the roles whose rules are kept after they were read, in bytes of JSON. */
const keptBytes = 8 * 1024 * 1024;

/** Whether a stored role or binding is read only when it is needed. */
export const isLarge = ({ json }: StoredObject): boolean => json.length > largeBytes;

/** A stored binding that is read with the first decision that needs it. */
export class LargeBinding implements LateBinding {
  /** What was stored, until it has been read. */
  #state: StoredObject | RoleBinding | Promise<RoleBinding>;

  constructor(stored: StoredObject) {
    this.#state = stored;
  }

  get(): RoleBinding | Promise<RoleBinding> {
    return 'json' in this.#state ? (this.#state = this.#load(this.#state)) : this.#state;
  }

  async #load(stored: StoredObject): Promise<RoleBinding> {
    const binding = withIndex(bindingOf(await readStored(stored)));
    this.#state = binding;
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

/** A role of which only this is held. */
export interface LargeRole {
  readonly key: string;
  readonly revision: number;
  /** The size of its JSON. */
  readonly bytes: number;
}

export const largeRole = ({ key, revision, json }: StoredObject): LargeRole => ({ key, revision, bytes: json.length });

/** The rules of the large roles that were needed last. */
export class LargeRoles {
  readonly #readRole: (role: LargeRole) => Promise<StoredObject>;
  readonly #rules = new Map<LargeRole, readonly PolicyRule[] | Promise<readonly PolicyRule[]>>();
  #bytes = 0;

  /** `readRole` reads a role from the store. */
  constructor(readRole: (role: LargeRole) => Promise<StoredObject>) {
    this.#readRole = readRole;
  }

  /** Rejects with the errors of the store. */
  rulesOf(role: LargeRole): readonly PolicyRule[] | Promise<readonly PolicyRule[]> {
    const known = this.#rules.get(role);
    if (known === undefined) {
      const reading = this.#read(role);
      this.#keep(role, reading);
      return reading;
    }
    // The entry becomes the newest.
    this.#rules.delete(role);
    this.#rules.set(role, known);
    return known;
  }

  async #read(role: LargeRole): Promise<readonly PolicyRule[]> {
    try {
      const rules = rulesOfRole(await readStored(await this.#readRole(role)));
      if (this.#rules.has(role)) this.#rules.set(role, rules);
      return rules;
    } catch (error) {
      this.#forget(role);
      throw error;
    }
  }

  #keep(role: LargeRole, rules: Promise<readonly PolicyRule[]>): void {
    this.#rules.set(role, rules);
    this.#bytes += role.bytes;
    for (const oldest of this.#rules.keys()) {
      if (this.#bytes <= keptBytes || oldest === role) return;
      this.#forget(oldest);
    }
  }

  #forget(role: LargeRole): void {
    if (this.#rules.delete(role)) this.#bytes -= role.bytes;
  }
}
