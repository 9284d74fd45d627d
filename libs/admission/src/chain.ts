import { pause } from '@apichain/meta';
import type { AdmissionObserver, AdmissionStep, AdmissionTiming } from './observer.ts';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from './plugin.ts';

/** A plugin's part in one half of admission. */
interface Part {
  readonly name: string;
  readonly run: (attributes: AdmissionAttributes) => Promise<void> | void;
  timing: AdmissionTiming | undefined;
}

const operations: readonly AdmissionOperation[] = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'];
const never = () => false;

/** The plugins that run for one operation in one half of admission, in order. */
class Half {
  readonly parts: readonly Part[];
  readonly #step: AdmissionStep;
  readonly #operation: AdmissionOperation;
  #timing: AdmissionTiming | undefined;

  constructor(plugins: readonly AdmissionPlugin[], step: AdmissionStep, operation: AdmissionOperation) {
    this.#step = step;
    this.#operation = operation;
    this.parts = plugins
      .filter((plugin) => plugin[step] !== undefined && plugin.handles.has(operation))
      .map((plugin) => ({
        name: plugin.name,
        run: (attributes) => plugin[step]?.(attributes),
        timing: undefined,
      }));
  }

  observe(observer: AdmissionObserver): void {
    this.#timing = observer.step(this.#step, this.#operation);
    for (const part of this.parts) part.timing = observer.plugin(part.name, this.#step, this.#operation);
  }

  /** Runs every plugin in order. Runs all of them a second time when `again` returns true after the first round. */
  async run(attributes: AdmissionAttributes, again: () => boolean = never): Promise<void> {
    const began = performance.now();
    let rejected = true;
    try {
      await this.#each(attributes, began);
      if (again()) await this.#each(attributes, performance.now());
      rejected = false;
    } finally {
      this.#timing?.((performance.now() - began) / 1_000, rejected);
    }
  }

  async #each(attributes: AdmissionAttributes, began: number): Promise<void> {
    let at = began;
    for (const part of this.parts) {
      let rejected = true;
      try {
        const underWay = part.run(attributes);
        if (underWay !== undefined) await underWay;
        rejected = false;
      } finally {
        const now = performance.now();
        part.timing?.((now - at) / 1_000, rejected);
        at = now;
      }
      const wait = pause();
      if (wait === undefined) continue;
      await wait;
      at = performance.now();
    }
  }
}

/**
 * Admission of a server: every mutating plugin in order, then every validating plugin. The caller runs the two halves separately,
 * because the strategy of the kind prepares the object between them.
 * After chainAdmissionHandler of k8s.io/apiserver/pkg/admission.
 */
export class AdmissionChain {
  readonly plugins: readonly AdmissionPlugin[];
  readonly #mutating: ReadonlyMap<AdmissionOperation, Half>;
  readonly #validating: ReadonlyMap<AdmissionOperation, Half>;

  constructor(plugins: readonly AdmissionPlugin[]) {
    this.plugins = plugins;
    const halves = (step: AdmissionStep) =>
      new Map(operations.map((operation) => [operation, new Half(plugins, step, operation)]));
    this.#mutating = halves('admit');
    this.#validating = halves('validate');
  }

  /** From now on, reports to `observer` how long the plugins take. */
  observe(observer: AdmissionObserver): void {
    for (const halves of [this.#mutating, this.#validating]) for (const half of halves.values()) half.observe(observer);
  }

  mutates(operation: AdmissionOperation): boolean {
    return (this.#mutating.get(operation)?.parts.length ?? 0) > 0;
  }
  validates(operation: AdmissionOperation): boolean {
    return (this.#validating.get(operation)?.parts.length ?? 0) > 0;
  }

  /**
   * Lets the plugins change `attributes.object` in place. When a webhook or policy has changed the object, all plugins run a second time.
   * Throws what the first plugin that rejects the request throws.
   */
  async admit(attributes: AdmissionAttributes): Promise<void> {
    await this.#mutating.get(attributes.operation)?.run(attributes, () => {
      const { reinvocation } = attributes;
      if (reinvocation?.isWanted !== true) return false;
      reinvocation.begin();
      return true;
    });
  }

  /** Throws what the first plugin that rejects the request throws. Changes nothing. */
  async validate(attributes: AdmissionAttributes): Promise<void> {
    await this.#validating.get(attributes.operation)?.run(attributes);
  }
}
