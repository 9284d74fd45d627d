import type {
  ParamKind,
  ParamRef,
  ValidatingAdmissionPolicyBindingSpec,
  ValidatingAdmissionPolicySpec,
} from '@apichain/api/admissionregistration/v1';
import type {
  MutatingAdmissionPolicyBindingSpec,
  MutatingAdmissionPolicySpec,
} from '@apichain/api/admissionregistration/v1beta1';
import { isSet, sleep, oncePerObject } from '@apichain/meta';
import type { KubeObject } from '@apichain/meta';
import { compileMatchConditions, type MatchConditions } from '../cel/match-conditions.ts';
import { forbidden } from '../forbidden.ts';
import type { AdmissionAttributes } from '../plugin.ts';
import { coverageKey, isExemptFromPolicies } from '../rules.ts';
import { coveredVersion, matchResources, type MatchResources } from './matching.ts';

export interface PolicyBinding {
  readonly name: string;
  readonly paramRef: ParamRef | undefined;
  readonly validationActions: readonly string[];
  /** Undefined = the binding applies wherever the policy applies. */
  readonly match: MatchResources | undefined;
}

/** A precompiled policy with its bindings; `rules` is the plugin's compiled form of the spec. */
export interface Policy<T> {
  readonly name: string;
  readonly match: MatchResources;
  readonly failOpen: boolean;
  readonly paramKind: ParamKind | undefined;
  readonly matchConditions: MatchConditions | undefined;
  readonly rules: T;
  readonly bindings: readonly PolicyBinding[];
}

/** The fields of a policy's spec, validating or mutating. */
type PolicySpec = ValidatingAdmissionPolicySpec & MutatingAdmissionPolicySpec;
interface PolicyObject extends KubeObject {
  spec?: PolicySpec;
}
interface BindingObject extends KubeObject {
  spec?: ValidatingAdmissionPolicyBindingSpec & MutatingAdmissionPolicyBindingSpec;
}

const reviews: ReadonlySet<string> = new Set(['authentication.k8s.io', 'authorization.k8s.io']);
const readyTimeoutMs = 10_000;
const maxKeys = 10_000;

/** The currently configured policies of a plugin, and the policies that match a kind of request. */
export class PolicySource<T> {
  readonly #compile: (spec: PolicySpec) => T;
  #definitions: readonly PolicyObject[] | undefined;
  #bindings: readonly BindingObject[] | undefined;
  #policies: readonly Policy<T>[] | undefined;
  #index = new Map<string, readonly Policy<T>[]>();
  readonly #ready = Promise.withResolvers<void>();

  constructor(compile: (spec: PolicySpec) => T) {
    this.#compile = compile;
  }

  setPolicies(policies: readonly PolicyObject[]): void {
    this.#definitions = policies;
    this.#rebuild();
  }
  setBindings(bindings: readonly BindingObject[]): void {
    this.#bindings = bindings;
    this.#rebuild();
  }

  /** The policies that match this kind of request. Waits while the configuration has not been loaded; throws Forbidden if that takes too long. */
  candidates(attributes: AdmissionAttributes): readonly Policy<T>[] | Promise<readonly Policy<T>[]> {
    if (this.#policies === undefined) return this.#whenReady(attributes);
    return this.#policies.length === 0 ? [] : this.#find(attributes, this.#policies);
  }

  #rebuild(): void {
    if (this.#definitions === undefined || this.#bindings === undefined) return;
    const bindings = Map.groupBy(this.#bindings, (binding) => binding.spec?.policyName ?? '');
    this.#policies = this.#definitions.flatMap((definition) => {
      const bound = bindings.get(definition.metadata.name ?? '');
      return bound === undefined ? [] : [{ ...this.#compiled(definition), bindings: bound.map(bindingFrom) }];
    });
    this.#index = new Map();
    this.#ready.resolve();
  }

  readonly #compiled = oncePerObject((definition: PolicyObject): Omit<Policy<T>, 'bindings'> => {
    const spec = definition.spec ?? {};
    const failOpen = spec.failurePolicy === 'Ignore';
    return {
      name: definition.metadata.name ?? '',
      match: matchResources(spec.matchConstraints),
      failOpen,
      paramKind: spec.paramKind,
      matchConditions: compileMatchConditions(spec.matchConditions ?? [], false, isSet(spec.paramKind)),
      rules: this.#compile(spec),
    };
  });

  async #whenReady(attributes: AdmissionAttributes): Promise<readonly Policy<T>[]> {
    if (isExemptFromPolicies(attributes.resource)) return [];
    const stop = new AbortController();
    await Promise.race([this.#ready.promise, sleep(readyTimeoutMs, stop.signal, { ref: false })]);
    stop.abort();
    if (this.#policies === undefined) throw forbidden(attributes, 'not yet ready to handle request');
    return this.#find(attributes, this.#policies);
  }

  #find(attributes: AdmissionAttributes, policies: readonly Policy<T>[]): readonly Policy<T>[] {
    if (isExemptFromPolicies(attributes.resource) || reviews.has(attributes.resource.group)) return [];
    const key = coverageKey(attributes);
    const known = this.#index.get(key);
    if (known !== undefined) return known;
    const found = policies.filter((policy) => coveredVersion(policy.match, attributes) !== undefined);
    if (this.#index.size >= maxKeys) this.#index.clear();
    this.#index.set(key, found);
    return found;
  }
}

function bindingFrom(binding: BindingObject): PolicyBinding {
  const spec = binding.spec ?? {};
  return {
    name: binding.metadata.name ?? '',
    paramRef: spec.paramRef,
    validationActions: spec.validationActions ?? [],
    match: isSet(spec.matchResources) ? matchResources(spec.matchResources) : undefined,
  };
}
