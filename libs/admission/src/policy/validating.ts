import type { ValidatingAdmissionPolicySpec } from '@apichain/api/admissionregistration/v1';
import { admissionResults } from '@apichain/cel';
import { activation, settled, type Evaluation } from '../cel/activation.ts';
import { RequestAuthorizer } from '../cel/authorizer.ts';
import { forbidden } from '../forbidden.ts';
import { errorTypeOf, type PolicyCheck } from '../observer.ts';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from '../plugin.ts';
import { requestNamespace } from '../rules.ts';
import { inVersion, namespaceOf } from '../selection.ts';
import { PolicyScope, type Evaluated, type PolicyExpression, type PolicyRun } from './expressions.ts';
import { matches } from './matching.ts';
import { collectParams, paramResource, type ParamFinder } from './params.ts';
import type { Policy, PolicyBinding, PolicySource } from './source.ts';
import type { Authorizer } from '@apichain/authz';
import { errorMessage, StatusError, stringifyJson, type KubeObject, lookupTable, isSet } from '@apichain/meta';
import type { ObjectLookup } from '../object-lookup.ts';

interface Validation {
  readonly condition: PolicyExpression;
  readonly message: string;
  readonly messageExpression: PolicyExpression | undefined;
  readonly reason: string;
}
interface AuditAnnotation {
  readonly key: string;
  readonly value: PolicyExpression;
}
/** The precompiled rules of a ValidatingAdmissionPolicy. */
export interface Validations {
  readonly scope: PolicyScope;
  readonly validations: readonly Validation[];
  readonly auditAnnotations: readonly AuditAnnotation[];
}

export function compileValidations(spec: ValidatingAdmissionPolicySpec): Validations {
  const scope = new PolicyScope(spec.variables ?? [], isSet(spec.paramKind));
  return {
    scope,
    validations: (spec.validations ?? []).map((validation) => {
      const messageExpression = validation.messageExpression ?? '';
      return {
        condition: scope.compile(validation.expression ?? '', admissionResults.condition),
        message: validation.message ?? '',
        messageExpression:
          messageExpression === '' ? undefined : scope.compile(messageExpression, admissionResults.message, true),
        reason: validation.reason || 'Invalid',
      };
    }),
    auditAnnotations: (spec.auditAnnotations ?? []).map((annotation) => ({
      key: annotation.key ?? '',
      value: scope.compile(annotation.valueExpression ?? '', admissionResults.auditAnnotation),
    })),
  };
}

/** The result of one validation; `message` only when it denies. */
interface Decision {
  readonly admits: boolean;
  readonly message: string;
  readonly reason: string;
  /** Why the expression could not be evaluated. */
  readonly error?: string;
  readonly seconds?: number;
}
interface Denial extends Decision {
  readonly policy: string;
  readonly binding: string | undefined;
}

const reasonCodes: Readonly<Record<string, number>> = lookupTable({
  Forbidden: 403,
  Unauthorized: 401,
  RequestEntityTooLarge: 413,
  Invalid: 422,
});
const maxMessageBytes = 5 * 1024;
const maxAnnotationBytes = 10 * 1024;
const failureKey = 'validation.policy.admission.k8s.io/validation_failure';

export interface PolicyDependencies {
  readonly lookup: ObjectLookup;
  readonly authorizer: Authorizer;
  readonly params: ParamFinder;
  /** Called for every expression that denies or cannot be evaluated, and for every policy that changes objects. */
  readonly checked?: (check: PolicyCheck) => void;
}

const handles: ReadonlySet<AdmissionOperation> = new Set(['CREATE', 'UPDATE', 'DELETE', 'CONNECT']);

/** https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/ */
export class ValidatingPolicies implements AdmissionPlugin {
  readonly name = 'ValidatingAdmissionPolicy';
  readonly handles = handles;
  readonly #source: PolicySource<Validations>;
  readonly #needed: PolicyDependencies;

  constructor(source: PolicySource<Validations>, needed: PolicyDependencies) {
    this.#source = source;
    this.#needed = needed;
  }

  validate(attributes: AdmissionAttributes): Promise<void> | void {
    const candidates = this.#source.candidates(attributes);
    if (candidates instanceof Promise) return candidates.then((found) => this.#dispatch(found, attributes));
    return candidates.length === 0 ? undefined : this.#dispatch(candidates, attributes);
  }

  async #dispatch(policies: readonly Policy<Validations>[], attributes: AdmissionAttributes): Promise<void> {
    if (policies.length === 0) return;
    const round = new ValidatingRound(attributes, this.#needed);
    for (const policy of policies) await round.apply(policy);
    round.finish();
  }
}

/** The evaluation of one request by the policies that match it. */
class ValidatingRound {
  readonly #attributes: AdmissionAttributes;
  readonly #needed: PolicyDependencies;
  readonly #authorizer: RequestAuthorizer;
  readonly #denials: Denial[] = [];
  readonly #failures: Record<string, unknown>[] = [];

  constructor(attributes: AdmissionAttributes, needed: PolicyDependencies) {
    this.#attributes = attributes;
    this.#needed = needed;
    this.#authorizer = new RequestAuthorizer(needed.authorizer, attributes.user);
  }

  async apply(policy: Policy<Validations>): Promise<void> {
    const found = await this.#configured(policy, undefined, async () => {
      const version = await matches(policy.match, this.#attributes, this.#needed.lookup);
      return version && { version, params: await paramResource(policy.paramKind, this.#needed.params) };
    });
    if (found === undefined) return;
    const { version } = found;
    const annotations = new Map<string, Set<string>>();
    for (const binding of policy.bindings) {
      const params = await this.#configured(policy, binding, async () => {
        const bound =
          binding.match === undefined || (await matches(binding.match, this.#attributes, this.#needed.lookup));
        if (bound === undefined) return undefined;
        const namespace = requestNamespace(this.#attributes);
        return collectParams(found.params, binding.paramRef, namespace);
      });
      if (params === undefined || params.length === 0) continue;
      const objects = await this.#configured(policy, binding, () => inVersion(this.#attributes, version.kind));
      if (objects === undefined) continue;
      const namespace = await this.#namespace();
      for (const param of params) {
        const evaluation: Evaluation = {
          attributes: this.#attributes,
          version,
          objects,
          authorizer: this.#authorizer,
          namespace,
          params: param,
        };
        await this.#evaluate(policy, binding, evaluation, annotations);
      }
    }
    for (const [key, values] of annotations)
      this.#attributes.annotate?.(`${policy.name}/${key}`, [...values].join(', '));
  }

  /** Undefined when the configuration is invalid; that is recorded as a denial unless the policy fails open. */
  async #configured<T>(
    policy: Policy<Validations>,
    binding: PolicyBinding | undefined,
    compute: () => Promise<T>,
  ): Promise<T | undefined> {
    try {
      return await compute();
    } catch (error) {
      if (!policy.failOpen) {
        const what = binding === undefined ? 'policy' : 'binding';
        const why = errorMessage(error);
        const message = `failed to configure ${what}: ${why}`;
        this.#denials.push({ admits: false, message, reason: '', policy: policy.name, binding: binding?.name });
      }
      return undefined;
    }
  }

  async #namespace(): Promise<KubeObject | undefined> {
    const { namespace } = this.#attributes;
    return namespace === '' ? undefined : namespaceOf(this.#needed.lookup, namespace);
  }

  async #evaluate(
    policy: Policy<Validations>,
    binding: PolicyBinding,
    evaluation: Evaluation,
    annotations: Map<string, Set<string>>,
  ): Promise<void> {
    const { matchConditions, rules, failOpen, name } = policy;
    const onError = (message: string): Decision => ({ admits: failOpen, message, reason: 'Invalid', error: message });
    const outcome = await matchConditions?.evaluate(evaluation);
    if (outcome?.error !== undefined) return this.#decide(policy, binding, [onError(outcome.error)]);
    if (outcome?.matches === false) return;
    const values = activation(evaluation);
    const { decisions, notes } = await settled(() => {
      const run = rules.scope.start(values);
      return {
        decisions: decide(rules.validations, run, onError),
        notes: rules.auditAnnotations.map(({ key, value }) => ({
          key,
          source: value.source,
          result: run.evaluate(value),
        })),
      };
    });
    this.#decide(policy, binding, decisions);
    for (const { key, result } of notes) {
      if ('error' in result) {
        if (!failOpen)
          this.#denials.push({ admits: false, message: result.error, reason: '', policy: name, binding: binding.name });
      } else if (typeof result.value === 'string' && result.value.trim() !== '') {
        const values = annotations.get(key) ?? new Set();
        annotations.set(key, values.add(result.value.trim().slice(0, maxAnnotationBytes)));
      }
    }
  }

  #decide(policy: Policy<Validations>, binding: PolicyBinding, decisions: readonly Decision[]): void {
    const { checked } = this.#needed;
    const tell = ({ error, seconds = 0 }: Decision, action: string) =>
      checked?.({
        mutating: false,
        policy: policy.name,
        binding: binding.name,
        seconds,
        errorType: errorTypeOf(error),
        action,
      });
    for (const [i, decision] of decisions.entries()) {
      if (decision.admits) {
        if (decision.error !== undefined) tell(decision, 'allow');
        continue;
      }
      for (const action of binding.validationActions) {
        tell(decision, action.toLowerCase());
        if (action === 'Deny') this.#denials.push({ ...decision, policy: policy.name, binding: binding.name });
        else if (action === 'Warn')
          this.#attributes.warn(
            `Validation failed for ValidatingAdmissionPolicy '${policy.name}' with binding '${binding.name}': ${decision.message}`,
          );
        else if (action === 'Audit')
          this.#failures.push({
            message: decision.message,
            policy: policy.name,
            binding: binding.name,
            expressionIndex: i,
            validationActions: binding.validationActions,
          });
      }
    }
  }

  /** Throws the first denial. */
  finish(): void {
    if (this.#failures.length > 0) this.#attributes.annotate?.(failureKey, stringifyJson(this.#failures));
    const [denial] = this.#denials;
    if (denial === undefined) return;
    const bound = denial.binding === undefined ? '' : ` with binding '${denial.binding}'`;
    const message = `ValidatingAdmissionPolicy '${denial.policy}'${bound} denied request: ${denial.message}`;
    const { status } = forbidden(this.#attributes, message);
    const reason = denial.reason === '' ? 'Invalid' : denial.reason;
    throw new StatusError({
      ...status,
      reason,
      code: reasonCodes[reason] ?? 422,
      details: { ...status.details, causes: [...(status.details?.causes ?? []), { message }] },
    });
  }
}

function decide(
  validations: readonly Validation[],
  run: PolicyRun,
  onError: (message: string) => Decision,
): Decision[] {
  const results: (Evaluated & { readonly seconds: number })[] = [];
  for (const { condition } of validations) {
    const began = performance.now();
    const result = run.evaluate(condition);
    const seconds = (performance.now() - began) / 1_000;
    if ('error' in result && result.isFinal === true) return [{ ...onError(result.error), seconds }];
    results.push({ ...result, seconds });
  }
  return results.map((result, i): Decision => {
    const validation = validations[i];
    const { seconds } = result;
    if ('error' in result) return { ...onError(result.error), seconds };
    if (result.value === true || validation === undefined) return { admits: true, message: '', reason: '' };
    return { admits: false, message: messageOf(validation, run), reason: validation.reason, seconds };
  });
}

function messageOf({ messageExpression, message, condition }: Validation, run: PolicyRun): string {
  const result = messageExpression === undefined ? undefined : run.evaluate(messageExpression);
  const said = result !== undefined && 'value' in result && typeof result.value === 'string' ? result.value.trim() : '';
  if (said !== '' && !said.includes('\n') && Buffer.byteLength(said) <= maxMessageBytes) return said;
  return message.trim() === '' ? `failed expression: ${condition.source.trim()}` : message.trim();
}
