import { deepEqual, field, newInternalError, newInvalid, type FieldError, type KubeObject } from '@apichain/meta';
import { goQuote } from '@apichain/go-text';
import type { Container, Pod } from '@apichain/api/core/v1';
import { forbidden } from '../../forbidden.ts';
import { lookedUp, oncePerObject, type ObjectLookup } from '../../object-lookup.ts';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from '../../plugin.ts';
import { podSpec } from '../../pod-fields.ts';
import type { CheckedPod, Violation } from './check.ts';
import { evaluatePod, violationsText } from './evaluator.ts';
import { Exemptions, exemptNamespaceWarning, type PodSecurityExemptions } from './exemptions.ts';
import { existingPodWarnings } from './namespace-check.ts';
import {
  formatLevelVersion,
  isFullyPrivileged,
  policyOf,
  privilegedPolicy,
  sameLevelVersion,
  strictness,
  type LevelVersion,
  type Policy,
} from './policy.ts';
import { checkedPod, makesPods, podTemplateOf } from './pod-spec-of.ts';

/** Subresources of pods whose objects are not pods, or do not affect pod security. */
const ignoredSubresources: ReadonlySet<string> = new Set([
  'exec',
  'attach',
  'binding',
  'eviction',
  'log',
  'portforward',
  'proxy',
  'status',
]);

export interface PodSecurityOptions {
  /** The policy of namespaces without labels. */
  readonly defaults?: Policy;
  readonly exemptions?: PodSecurityExemptions;
}

/**
 * Checks pods against the Pod Security Standard that the labels of their namespace name: rejects, or warns.
 * https://kubernetes.io/docs/concepts/security/pod-security-admission/
 */
export class PodSecurity implements AdmissionPlugin {
  readonly name = 'PodSecurity';
  readonly handles: ReadonlySet<AdmissionOperation> = new Set(['CREATE', 'UPDATE']);
  readonly #lookup: ObjectLookup;
  readonly #defaults: Policy;
  readonly #exemptions: Exemptions;
  readonly #policyOf: (namespace: KubeObject) => ReturnType<typeof policyOf>;

  constructor(lookup: ObjectLookup, { defaults = privilegedPolicy, exemptions }: PodSecurityOptions = {}) {
    this.#lookup = lookup;
    this.#defaults = defaults;
    this.#exemptions = new Exemptions(exemptions);
    this.#policyOf = oncePerObject((namespace) => policyOf(namespace.metadata.labels ?? {}, defaults));
  }

  validate(attributes: AdmissionAttributes): Promise<void> | void {
    const { resource, subresource } = attributes;
    if (resource.group === '' && resource.resource === 'namespaces') {
      return subresource === '' ? this.#validateNamespace(attributes) : undefined;
    }
    if (resource.group === '' && resource.resource === 'pods') {
      return ignoredSubresources.has(subresource) ? undefined : this.#validatePod(attributes);
    }
    return subresource === '' && makesPods(resource) ? this.#validateController(attributes) : undefined;
  }

  async #validateNamespace(attributes: AdmissionAttributes): Promise<void> {
    const { kind, name, operation, object, oldObject } = attributes;
    if (object === undefined) return;
    const next = this.#policyOf(object);
    const previous = oldObject === undefined ? undefined : this.#policyOf(oldObject);
    if (next.errors.length > 0 && !(operation === 'UPDATE' && deepEqual(next.errors, previous?.errors))) {
      throw newInvalid(kind, name, next.errors);
    }
    const { enforce } = next.policy;
    const isExempt = this.#exemptions.isNamespace(name);
    if (previous === undefined ? !isExempt : !isStricter(enforce, previous.policy.enforce)) return;
    if (isExempt) {
      const warning = exemptNamespaceWarning(object, next.policy, this.#defaults);
      if (warning !== undefined) attributes.warn(warning);
      return;
    }
    const pods = (await this.#lookup.list(lookedUp.pods, name)).filter(
      (pod) => !this.#exemptions.isPod(checkedPod(pod)),
    );
    for (const warning of existingPodWarnings(name, pods, enforce)) attributes.warn(warning);
  }

  async #validatePod(attributes: AdmissionAttributes): Promise<void> {
    const { operation, object, oldObject } = attributes;
    if (this.#isExempt(attributes)) return;
    const namespace = await this.#namespaceOf(attributes);
    if (namespace === undefined) throw newInternalError(`failed to lookup namespace ${goQuote(attributes.namespace)}`);
    const { policy, errors } = this.#policyOf(namespace);
    if ((errors.length === 0 && isFullyPrivileged(policy)) || object === undefined) {
      attributes.annotate?.(annotation('enforce-policy'), formatLevelVersion(policy.enforce));
      return;
    }
    if (operation === 'UPDATE' && oldObject !== undefined && !changesContainers(object, oldObject)) return;
    const pod = checkedPod(object);
    if (this.#isExemptPod(pod, attributes)) return;
    const violations = evaluatePod(policy.enforce, pod);
    attributes.annotate?.(annotation('enforce-policy'), formatLevelVersion(policy.enforce));
    note(attributes, policy, errors, pod, violations);
    if (violations.length > 0) {
      throw forbidden(
        attributes,
        `violates PodSecurity ${goQuote(formatLevelVersion(policy.enforce))}: ${violationsText(violations)}`,
      );
    }
    warnAbout(attributes, policy, pod, violations);
  }

  /** Objects with a pod template only produce warnings and audit annotations; their pods are rejected later. */
  async #validateController(attributes: AdmissionAttributes): Promise<void> {
    const { resource, object } = attributes;
    if (this.#isExempt(attributes)) return;
    const namespace = await this.#namespaceOf(attributes);
    if (namespace === undefined || object === undefined) return;
    const { policy, errors } = this.#policyOf(namespace);
    const isAudited = attributes.annotate !== undefined && (errors.length > 0 || policy.audit.level !== 'privileged');
    if (policy.warn.level === 'privileged' && !isAudited) return;
    const pod = podTemplateOf(resource, object);
    if (pod === undefined || this.#isExemptPod(pod, attributes)) return;
    note(attributes, policy, errors, pod);
    warnAbout(attributes, policy, pod);
  }

  #isExempt(attributes: AdmissionAttributes): boolean {
    const reason = this.#exemptions.of(attributes);
    if (reason !== undefined) attributes.annotate?.(annotation('exempt'), reason);
    return reason !== undefined;
  }

  #isExemptPod(pod: CheckedPod, attributes: AdmissionAttributes): boolean {
    const isExempt = this.#exemptions.isPod(pod);
    if (isExempt) attributes.annotate?.(annotation('exempt'), 'runtimeClass');
    return isExempt;
  }

  async #namespaceOf({ namespace }: AdmissionAttributes): Promise<KubeObject | undefined> {
    return (
      (await this.#lookup.get(lookedUp.namespaces, '', namespace)) ??
      (await this.#lookup.live(lookedUp.namespaces, '', namespace))
    );
  }
}

/** Whether existing pods may violate the new policy. */
function isStricter(next: LevelVersion, previous: LevelVersion): boolean {
  if (sameLevelVersion(next, previous) || next.level === 'privileged') return false;
  return next.version !== previous.version || strictness(next.level) > strictness(previous.level);
}

const annotation = (name: string): string => `pod-security.kubernetes.io/${name}`;

/** https://kubernetes.io/docs/reference/labels-annotations-taints/audit-annotations/ */
function note(
  attributes: AdmissionAttributes,
  { enforce, audit: policy }: Policy,
  errors: readonly FieldError[],
  pod: CheckedPod,
  enforced?: readonly Violation[],
): void {
  if (attributes.annotate === undefined) return;
  if (errors.length > 0)
    attributes.annotate(annotation('error'), `Failed to parse policy: ${field.aggregateFieldErrors(errors)}`);
  const violations = enforced !== undefined && sameLevelVersion(enforce, policy) ? enforced : evaluatePod(policy, pod);
  if (violations.length > 0) attributes.annotate(annotation('audit-violations'), violationText(policy, violations));
}

const violationText = (policy: LevelVersion, violations: readonly Violation[]): string =>
  `would violate PodSecurity ${goQuote(formatLevelVersion(policy))}: ${violationsText(violations)}`;

function warnAbout(
  attributes: AdmissionAttributes,
  { enforce, warn: policy }: Policy,
  pod: CheckedPod,
  enforced?: readonly Violation[],
): void {
  const violations = enforced !== undefined && sameLevelVersion(enforce, policy) ? enforced : evaluatePod(policy, pod);
  if (violations.length === 0) return;
  attributes.warn(violationText(policy, violations));
}

/** Of the fields that an update of a pod can change, only its containers and their images matter. */
function changesContainers(pod: Pod, old: Pod): boolean {
  const now = podSpec(pod);
  const before = podSpec(old);
  const changesIn = (name: 'containers' | 'initContainers') => {
    const [a, b] = [now[name] ?? [], before[name] ?? []];
    return a.length !== b.length || a.some((container, i) => container.image !== b[i]?.image);
  };
  const known = before.ephemeralContainers ?? [];
  const isNew = (container: Container) => known.find(({ name }) => name === container.name)?.image !== container.image;
  return changesIn('containers') || changesIn('initContainers') || (now.ephemeralContainers ?? []).some(isNew);
}
