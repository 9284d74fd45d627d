import { deepClone, deepEqual, type KubeObject } from '@apichain/meta';

/** The state that one plugin keeps about its webhooks or policies between the two rounds of a request. */
export class PluginReinvocation {
  /** Webhooks or policies that have been called and may be called again. */
  readonly #reinvocable = new Set<string>();
  /** Webhooks or policies that are called again in the second round. */
  readonly #wanted = new Set<string>();
  #output: KubeObject | undefined;

  /** Records that a webhook or policy with reinvocationPolicy IfNeeded has been called. */
  called(id: string): void {
    this.#reinvocable.add(id);
  }
  /** The object has changed: the webhooks or policies called before are called again. */
  requirePrevious(): void {
    for (const id of this.#reinvocable) this.#wanted.add(id);
    this.#reinvocable.clear();
  }
  wants(id: string): boolean {
    return this.#wanted.has(id);
  }
  /** Records the object as the plugin left it. */
  setOutput(object: KubeObject | undefined): void {
    this.#output = deepClone(object);
  }
  outputChanged(object: KubeObject | undefined): boolean {
    return !deepEqual(this.#output, object);
  }
}

/**
 * The second round of mutating admission. It takes place when a webhook or policy has changed the object. It calls again the webhooks and
 * policies that ran before that change and have reinvocationPolicy IfNeeded. After k8s.io/apiserver/pkg/admission/reinvocation.go.
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
