import {
  deepEqual,
  field,
  firstByName,
  newInternalError,
  newInvalid,
  type FieldError,
  type KubeObject,
  oncePerObject,
} from '@apichain/meta';
import { goQuote } from '@apichain/go-text';
import type { Container, Pod } from '@apichain/api/core/v1';
import { forbidden } from '../../forbidden.ts';
import { lookedUp, type ObjectLookup } from '../../object-lookup.ts';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from '../../plugin.ts';
import { podSpec } from '../../pod-fields.ts';
import type { CheckedPod, Violation } from './check.ts';
import type { PodSecurityCounts } from './counts.ts';
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
  readonly counts?: PodSecurityCounts;
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
  readonly #counts: PodSecurityCounts | undefined;
  readonly #policyOf: (namespace: KubeObject) => ReturnType<typeof policyOf>;

  constructor(lookup: ObjectLookup, { defaults = privilegedPolicy, exemptions, counts }: PodSecurityOptions = {}) {
    this.#lookup = lookup;
    this.#counts = counts;
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
      this.#counts?.exempted(attributes);
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
    if (namespace === undefined) {
      this.#counts?.failed(true, attributes);
      throw newInternalError(`failed to lookup namespace ${goQuote(attributes.namespace)}`);
    }
    const { policy, errors } = this.#policyOf(namespace);
    if ((errors.length === 0 && isFullyPrivileged(policy)) || object === undefined) {
      attributes.annotate?.(annotation('enforce-policy'), formatLevelVersion(policy.enforce));
      this.#counts?.evaluated('enforce', policy.enforce, true, attributes);
      return;
    }
    if (operation === 'UPDATE' && oldObject !== undefined && !changesContainers(object, oldObject)) return;
    const pod = checkedPod(object);
    if (this.#isExemptPod(pod, attributes)) return;
    const violations = evaluatePod(policy.enforce, pod);
    this.#counts?.evaluated('enforce', policy.enforce, violations.length === 0, attributes);
    attributes.annotate?.(annotation('enforce-policy'), formatLevelVersion(policy.enforce));
    this.#note(attributes, policy, errors, pod, violations);
    if (violations.length > 0) {
      throw forbidden(
        attributes,
        `violates PodSecurity ${goQuote(formatLevelVersion(policy.enforce))}: ${violationsText(violations)}`,
      );
    }
    this.#warnAbout(attributes, policy, pod, violations);
  }

  /** Objects with a pod template only produce warnings and audit annotations; their pods are rejected later. */
  async #validateController(attributes: AdmissionAttributes): Promise<void> {
    const { resource, object } = attributes;
    if (this.#isExempt(attributes)) return;
    const namespace = await this.#namespaceOf(attributes);
    if (namespace === undefined || object === undefined) return;
    const { policy, errors } = this.#policyOf(namespace);
    const isAudited = errors.length > 0 || policy.audit.level !== 'privileged';
    if (policy.warn.level === 'privileged' && !isAudited) return;
    const pod = podTemplateOf(resource, object);
    if (pod === undefined || this.#isExemptPod(pod, attributes)) return;
    this.#note(attributes, policy, errors, pod);
    this.#warnAbout(attributes, policy, pod);
  }

  #isExempt(attributes: AdmissionAttributes): boolean {
    const reason = this.#exemptions.of(attributes);
    if (reason === undefined) return false;
    attributes.annotate?.(annotation('exempt'), reason);
    this.#counts?.exempted(attributes);
    return true;
  }

  #isExemptPod(pod: CheckedPod, attributes: AdmissionAttributes): boolean {
    const isExempt = this.#exemptions.isPod(pod);
    if (!isExempt) return false;
    attributes.annotate?.(annotation('exempt'), 'runtimeClass');
    this.#counts?.exempted(attributes);
    return true;
  }

  /** https://kubernetes.io/docs/reference/labels-annotations-taints/audit-annotations/ */
  #note(
    attributes: AdmissionAttributes,
    policy: Policy,
    errors: readonly FieldError[],
    pod: CheckedPod,
    enforced?: readonly Violation[],
  ): void {
    if (errors.length > 0) {
      const why = `Failed to parse policy: ${field.aggregateFieldErrors(errors)}`;
      attributes.annotate?.(annotation('error'), why);
      this.#counts?.failed(false, attributes);
    }
    const violations = violationsOf(policy, 'audit', pod, enforced);
    if (violations.length === 0) return;
    attributes.annotate?.(annotation('audit-violations'), violationText(policy.audit, violations));
    this.#counts?.evaluated('audit', policy.audit, false, attributes);
  }

  #warnAbout(attributes: AdmissionAttributes, policy: Policy, pod: CheckedPod, enforced?: readonly Violation[]): void {
    const violations = violationsOf(policy, 'warn', pod, enforced);
    if (violations.length === 0) return;
    attributes.warn(violationText(policy.warn, violations));
    this.#counts?.evaluated('warn', policy.warn, false, attributes);
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

/** The violations of a mode. Those of the enforced policy are not looked for again. */
const violationsOf = (
  policy: Policy,
  mode: 'audit' | 'warn',
  pod: CheckedPod,
  enforced: readonly Violation[] | undefined,
): readonly Violation[] =>
  enforced !== undefined && sameLevelVersion(policy.enforce, policy[mode]) ? enforced : evaluatePod(policy[mode], pod);

const violationText = (policy: LevelVersion, violations: readonly Violation[]): string =>
  `would violate PodSecurity ${goQuote(formatLevelVersion(policy))}: ${violationsText(violations)}`;

/** Of the fields that an update of a pod can change, only its containers and their images matter. */
function changesContainers(pod: Pod, old: Pod): boolean {
  const now = podSpec(pod);
  const before = podSpec(old);
  const changesIn = (name: 'containers' | 'initContainers') => {
    const [a, b] = [now[name] ?? [], before[name] ?? []];
    return a.length !== b.length || a.some((container, i) => container.image !== b[i]?.image);
  };
  const known = firstByName(before.ephemeralContainers ?? []);
  const isNew = (container: Container) => known.get(container.name)?.image !== container.image;
  return changesIn('containers') || changesIn('initContainers') || (now.ephemeralContainers ?? []).some(isNew);
}
