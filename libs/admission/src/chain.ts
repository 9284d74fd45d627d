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

/** What the plugins do to requests of one operation in one half, in order. */
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

  /** Once more when `again` says so. */
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
 * Admission of a server: every mutating plugin in order, then every validating one. The caller runs the two halves itself,
 * because validation comes after the strategy of the kind has had its turn.
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

  /** Tells how long the plugins take, from now on. */
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
   * Lets the plugins change `attributes.object` in place. When a webhook or policy has changed it, all of them see it once more.
   * Throws what the first refusing plugin throws.
   */
  async admit(attributes: AdmissionAttributes): Promise<void> {
    await this.#mutating.get(attributes.operation)?.run(attributes, () => {
      const { reinvocation } = attributes;
      if (reinvocation?.isWanted !== true) return false;
      reinvocation.begin();
      return true;
    });
  }

  /** Throws what the first refusing plugin throws; nothing is changed. */
  async validate(attributes: AdmissionAttributes): Promise<void> {
    await this.#validating.get(attributes.operation)?.run(attributes);
  }
}
