import type { Toleration } from '@apichain/api/core/v1';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from '../plugin.ts';
import { isPod } from '../pod-fields.ts';

/** How long pods tolerate a failing node by default, in seconds. */
export interface DefaultTolerations {
  /** `--default-not-ready-toleration-seconds` */
  readonly notReadySeconds: number;
  /** `--default-unreachable-toleration-seconds` */
  readonly unreachableSeconds: number;
}
export const defaultTolerations: DefaultTolerations = { notReadySeconds: 300, unreachableSeconds: 300 };

const toleratesEviction = (toleration: Toleration, key: string): boolean =>
  [key, ''].includes(toleration.key ?? '') && ['NoExecute', ''].includes(toleration.effect ?? '');

/**
 * Adds tolerations to a pod so that it stays for some time on a node that is not ready or unreachable, unless the pod has its own.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#defaulttolerationseconds
 */
export class DefaultTolerationSeconds implements AdmissionPlugin {
  readonly name = 'DefaultTolerationSeconds';
  readonly handles: ReadonlySet<AdmissionOperation> = new Set(['CREATE', 'UPDATE']);
  readonly #defaults: readonly (readonly [key: string, seconds: number])[];

  constructor(defaults: DefaultTolerations = defaultTolerations) {
    this.#defaults = [
      ['node.kubernetes.io/not-ready', defaults.notReadySeconds],
      ['node.kubernetes.io/unreachable', defaults.unreachableSeconds],
    ];
  }

  admit(attributes: AdmissionAttributes): void {
    if (!isPod(attributes) || attributes.object === undefined) return;
    const spec = (attributes.object.spec ??= {});
    const tolerations = spec.tolerations ?? [];
    const missing = this.#defaults.filter(([key]) => !tolerations.some((t) => toleratesEviction(t, key)));
    if (missing.length === 0) return;
    const added = missing.map(([key, tolerationSeconds]) => ({
      key,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds,
    }));
    spec.tolerations = [...tolerations, ...added];
  }
}
