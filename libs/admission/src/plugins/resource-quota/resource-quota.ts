import { type GroupResource, formatGroupResource } from '@apichain/meta';
import type { ObjectLookup } from '../../object-lookup.ts';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from '../../plugin.ts';
import { Accountant } from './accountant.ts';
import { objectCounter, type Evaluator } from './evaluator.ts';
import { evaluators, isCounted } from './evaluators.ts';
import type { LimitedResource } from './limited-resources.ts';
import { QuotaAccess, type QuotaStatusWriter } from './quota-access.ts';

/** A bound, because custom resources come and go; when it is reached, the counters are recreated. */
const maxCounters = 1_000;

/**
 * Enforces the quotas of a namespace and updates their usage.
 * https://kubernetes.io/docs/concepts/policy/resource-quotas/
 */
export class ResourceQuota implements AdmissionPlugin {
  readonly name = 'ResourceQuota';
  readonly handles: ReadonlySet<AdmissionOperation> = new Set(['CREATE', 'UPDATE']);
  readonly #access: QuotaAccess;
  readonly #accountant: Accountant;
  readonly #counters = new Map<string, Evaluator>();
  readonly #limits: boolean;

  /** `limited` are the resources that may only be consumed where a quota covers them. */
  constructor(lookup: ObjectLookup, write: QuotaStatusWriter, limited: readonly LimitedResource[] = []) {
    this.#access = new QuotaAccess(lookup, write);
    this.#accountant = new Accountant(this.#access, limited);
    this.#limits = limited.length > 0;
  }

  async validate(attributes: AdmissionAttributes): Promise<void> {
    const { namespace, kind, resource } = attributes;
    if (namespace === '' || (kind.group === '' && kind.kind === 'Namespace')) return;
    if (!isCounted(resource)) return;
    const key = formatGroupResource(resource);
    const evaluator = evaluators.get(key) ?? this.#counter(key, resource);
    if (!evaluator.handles(attributes)) return;
    // Most namespaces have no quota; their requests need not wait for a batch.
    if (!this.#limits && (await this.#access.quotas(namespace)).length === 0) return;
    await this.#accountant.charge(attributes, evaluator);
  }

  #counter(key: string, resource: GroupResource): Evaluator {
    const known = this.#counters.get(key);
    if (known !== undefined) return known;
    if (this.#counters.size >= maxCounters) this.#counters.clear();
    const made = objectCounter(resource);
    this.#counters.set(key, made);
    return made;
  }
}
