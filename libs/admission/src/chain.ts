import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from './plugin.ts';

/**
 * Admission of a server: every mutating plugin in order, then every validating one. The caller runs the two halves itself,
 * because validation comes after the strategy of the kind has had its turn.
 * After chainAdmissionHandler of k8s.io/apiserver/pkg/admission.
 */
export class AdmissionChain {
  readonly plugins: readonly AdmissionPlugin[];
  readonly #mutating = new Map<AdmissionOperation, readonly AdmissionPlugin[]>();
  readonly #validating = new Map<AdmissionOperation, readonly AdmissionPlugin[]>();

  constructor(plugins: readonly AdmissionPlugin[]) {
    this.plugins = plugins;
    for (const operation of ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'] as const) {
      const handling = plugins.filter((plugin) => plugin.handles.has(operation));
      this.#mutating.set(
        operation,
        handling.filter((plugin) => plugin.admit !== undefined),
      );
      this.#validating.set(
        operation,
        handling.filter((plugin) => plugin.validate !== undefined),
      );
    }
  }

  mutates(operation: AdmissionOperation): boolean {
    return (this.#mutating.get(operation)?.length ?? 0) > 0;
  }
  validates(operation: AdmissionOperation): boolean {
    return (this.#validating.get(operation)?.length ?? 0) > 0;
  }

  /**
   * Lets the plugins change `attributes.object` in place. When a webhook or policy has changed it, all of them see it once more.
   * Throws what the first refusing plugin throws.
   */
  async admit(attributes: AdmissionAttributes): Promise<void> {
    const plugins = this.#mutating.get(attributes.operation) ?? [];
    for (const plugin of plugins) await plugin.admit?.(attributes);
    const { reinvocation } = attributes;
    if (reinvocation?.isWanted !== true) return;
    reinvocation.begin();
    for (const plugin of plugins) await plugin.admit?.(attributes);
  }

  /** Throws what the first refusing plugin throws; nothing is changed. */
  async validate(attributes: AdmissionAttributes): Promise<void> {
    for (const plugin of this.#validating.get(attributes.operation) ?? []) await plugin.validate?.(attributes);
  }
}

export const noAdmission = new AdmissionChain([]);
