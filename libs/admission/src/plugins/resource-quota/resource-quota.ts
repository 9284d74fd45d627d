import type { GroupResource } from '@apichain/meta';
import type { ObjectLookup } from '../../object-lookup.ts';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from '../../plugin.ts';
import { Accountant } from './accountant.ts';
import { claimEvaluator } from './claim-evaluator.ts';
import { objectCounter, type Evaluator } from './evaluator.ts';
import type { LimitedResource } from './limited-resources.ts';
import { podEvaluator } from './pod-evaluator.ts';
import { QuotaAccess, type QuotaStatusWriter } from './quota-access.ts';
import { resourceClaimEvaluator } from './resource-claim-evaluator.ts';
import { serviceEvaluator } from './service-evaluator.ts';

const keyOf = ({ group, resource }: GroupResource) => `${group}/${resource}`;

/** Resources that are not stored, and events, are not counted. */
const ignored: ReadonlySet<string> = new Set([
  '/bindings',
  '/componentstatuses',
  '/events',
  'events.k8s.io/events',
  'authentication.k8s.io/tokenreviews',
  'authentication.k8s.io/selfsubjectreviews',
  'authorization.k8s.io/subjectaccessreviews',
  'authorization.k8s.io/localsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectrulesreviews',
]);

const counted = (resource: string, alias?: string) =>
  [`/${resource}`, objectCounter({ group: '', resource }, alias)] as const;

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
  readonly #evaluators: ReadonlyMap<string, Evaluator> = new Map([
    ['/pods', podEvaluator],
    ['/services', serviceEvaluator],
    ['/persistentvolumeclaims', claimEvaluator],
    ['resource.k8s.io/resourceclaims', resourceClaimEvaluator],
    counted('configmaps', 'configmaps'),
    counted('resourcequotas', 'resourcequotas'),
    counted('replicationcontrollers', 'replicationcontrollers'),
    counted('secrets', 'secrets'),
  ]);

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
    const key = keyOf(resource);
    if (ignored.has(key)) return;
    const evaluator = this.#evaluators.get(key) ?? this.#counter(key, resource);
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
