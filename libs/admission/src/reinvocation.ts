import { deepClone, deepEqual, type KubeObject } from '@apichain/meta';

/** What one plugin remembers of its webhooks or policies between the two rounds of a request. */
export class PluginReinvocation {
  /** May be called again, and were called already. */
  readonly #reinvocable = new Set<string>();
  /** Are called again in the second round. */
  readonly #wanted = new Set<string>();
  #output: KubeObject | undefined;

  /** The one named has been called and asks to see later changes. */
  called(id: string): void {
    this.#reinvocable.add(id);
  }
  /** The object has changed: those called before see it again. */
  requirePrevious(): void {
    for (const id of this.#reinvocable) this.#wanted.add(id);
    this.#reinvocable.clear();
  }
  wants(id: string): boolean {
    return this.#wanted.has(id);
  }
  /** How the object leaves the plugin. */
  setOutput(object: KubeObject | undefined): void {
    this.#output = deepClone(object);
  }
  outputChanged(object: KubeObject | undefined): boolean {
    return !deepEqual(this.#output, object);
  }
}

/**
 * The second round of mutating admission: it takes place when a webhook or policy has changed the object, and calls those again that
 * were called before that change and have reinvocationPolicy IfNeeded. After k8s.io/apiserver/pkg/admission/reinvocation.go.
 */
export class Reinvocation {
  #wanted = false;
  #second = false;
  readonly #plugins = new Map<string, PluginReinvocation>();

  get isWanted(): boolean {
    return this.#wanted;
  }
  /** Whether this is the second round. */
  get isSecond(): boolean {
    return this.#second;
  }
  want(): void {
    this.#wanted = true;
  }
  begin(): void {
    this.#second = true;
  }
  of(plugin: string): PluginReinvocation {
    const known = this.#plugins.get(plugin);
    if (known !== undefined) return known;
    const made = new PluginReinvocation();
    this.#plugins.set(plugin, made);
    return made;
  }
}
