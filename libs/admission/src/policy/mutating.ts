import type { MutatingAdmissionPolicySpec } from '@apichain/api/admissionregistration/v1beta1';
import { admissionResults, jsonOf, ListValue, MapValue, mutationStructs, StructValue, type Value } from '@apichain/cel';
import {
  errorMessage,
  applyJsonPatch,
  deepEqual,
  isStatusError,
  newInternalError,
  StatusError,
  type JsonPatchOperation,
  isSet,
  type KubeObject,
  record,
} from '@apichain/meta';
import { goQuote } from '@apichain/go-text';
import type { Type } from '@apichain/scheme';
import { activation, settled, type Evaluation } from '../cel/activation.ts';
import { RequestAuthorizer } from '../cel/authorizer.ts';
import { forbidden } from '../forbidden.ts';
import { errorTypeOf } from '../observer.ts';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin, VersionedResource } from '../plugin.ts';
import { Reinvocation, type PluginReinvocation } from '../reinvocation.ts';
import { requestNamespace } from '../rules.ts';
import { inVersion, namespaceOf, replaceObject } from '../selection.ts';
import { PolicyScope, type PolicyExpression } from './expressions.ts';
import { matches } from './matching.ts';
import { mergeConfiguration } from './merge.ts';
import { collectParams, paramResource, type ParamResource } from './params.ts';
import type { Policy, PolicyBinding, PolicySource } from './source.ts';
import type { PolicyDependencies } from './validating.ts';

interface Mutation {
  readonly isJsonPatch: boolean;
  readonly expression: PolicyExpression;
}
/** The precompiled mutations of a MutatingAdmissionPolicy. */
export interface Mutations {
  readonly scope: PolicyScope;
  readonly mutations: readonly Mutation[];
  readonly reinvoke: boolean;
}

export function compileMutations(spec: MutatingAdmissionPolicySpec): Mutations {
  const scope = new PolicyScope(spec.variables ?? [], isSet(spec.paramKind), mutationStructs);
  return {
    scope,
    reinvoke: spec.reinvocationPolicy === 'IfNeeded',
    mutations: (spec.mutations ?? []).map((mutation) => {
      const isJsonPatch = mutation.patchType === 'JSONPatch';
      const source = (isJsonPatch ? mutation.jsonPatch : mutation.applyConfiguration)?.expression ?? '';
      const accepts = isJsonPatch ? admissionResults.jsonPatch : admissionResults.applyConfiguration;
      return { isJsonPatch, expression: scope.compile(source, accepts) };
    }),
  };
}

/** A policy with one of its bindings and one parameter. */
interface Invocation {
  readonly policy: Policy<Mutations>;
  readonly binding: PolicyBinding;
  readonly version: VersionedResource;
  readonly param: KubeObject | undefined;
}
interface Failure {
  readonly policy: Policy<Mutations>;
  readonly binding: PolicyBinding | undefined;
  readonly message: string;
  readonly reason?: string;
}

const handles: ReadonlySet<AdmissionOperation> = new Set(['CREATE', 'UPDATE', 'DELETE', 'CONNECT']);

/** https://kubernetes.io/docs/reference/access-authn-authz/mutating-admission-policy/ */
export class MutatingPolicies implements AdmissionPlugin {
  readonly name = 'MutatingAdmissionPolicy';
  readonly handles = handles;
  readonly #source: PolicySource<Mutations>;
  readonly #needed: PolicyDependencies;

  constructor(source: PolicySource<Mutations>, needed: PolicyDependencies) {
    this.#source = source;
    this.#needed = needed;
  }

  admit(attributes: AdmissionAttributes): Promise<void> | void {
    const candidates = this.#source.candidates(attributes);
    if (candidates instanceof Promise) return candidates.then((found) => this.#dispatch(found, attributes));
    return candidates.length === 0 ? undefined : this.#dispatch(candidates, attributes);
  }

  async #dispatch(policies: readonly Policy<Mutations>[], attributes: AdmissionAttributes): Promise<void> {
    const failures: Failure[] = [];
    const invocations: Invocation[] = [];
    for (const policy of policies) invocations.push(...(await this.#invocations(policy, attributes, failures)));
    if (invocations.length > 0) await this.#invokeAll(invocations, attributes, failures);
    const counting = failures.filter(({ policy }) => !policy.failOpen);
    if (counting.length > 0) throw refusal(attributes, counting);
  }

  async #invocations(
    policy: Policy<Mutations>,
    attributes: AdmissionAttributes,
    failures: Failure[],
  ): Promise<Invocation[]> {
    const { lookup, params } = this.#needed;
    const fail = (error: unknown, binding: PolicyBinding | undefined) => {
      const what = binding === undefined ? 'policy' : 'binding';
      failures.push({ policy, binding, message: `failed to configure ${what}: ${errorMessage(error)}` });
    };
    const found: Invocation[] = [];
    let version: VersionedResource | undefined;
    let resource: ParamResource | undefined;
    try {
      version = await matches(policy.match, attributes, lookup);
      if (version !== undefined) resource = await paramResource(policy.paramKind, params);
    } catch (error) {
      fail(error, undefined);
      return found;
    }
    if (version === undefined) return found;
    for (const binding of policy.bindings)
      try {
        if (binding.match !== undefined && (await matches(binding.match, attributes, lookup)) === undefined) continue;
        const namespace = requestNamespace(attributes);
        for (const param of await collectParams(resource, binding.paramRef, namespace))
          found.push({ policy, binding, version, param });
      } catch (error) {
        fail(error, binding);
      }
    return found;
  }

  async #invokeAll(
    invocations: readonly Invocation[],
    attributes: AdmissionAttributes,
    failures: Failure[],
  ): Promise<void> {
    const reinvocation = (attributes.reinvocation ??= new Reinvocation());
    const own = reinvocation.of(this.name);
    if (reinvocation.isSecond && own.outputChanged(attributes.object)) own.requirePrevious();
    const { namespace: name } = attributes;
    const namespace = name === '' ? undefined : await namespaceOf(this.#needed.lookup, name);
    const authorizer = new RequestAuthorizer(this.#needed.authorizer, attributes.user);
    try {
      for (const invocation of invocations)
        await this.#invoke(invocation, attributes, { namespace, authorizer, reinvocation, own, failures });
    } finally {
      own.setOutput(attributes.object);
    }
  }

  async #invoke(
    { policy, binding, version, param }: Invocation,
    attributes: AdmissionAttributes,
    round: {
      readonly namespace: KubeObject | undefined;
      readonly authorizer: RequestAuthorizer;
      readonly reinvocation: Reinvocation;
      readonly own: PluginReinvocation;
      readonly failures: Failure[];
    },
  ): Promise<void> {
    const { namespace, authorizer, reinvocation, own, failures } = round;
    const evaluationNow = async (): Promise<Evaluation> => ({
      attributes,
      version,
      objects: await inVersion(attributes, version.kind),
      authorizer,
      ...(namespace === undefined ? {} : { namespace }),
      ...(param === undefined ? {} : { params: param }),
    });
    const began = performance.now();
    let error: string | undefined;
    const fail = (message: string) => {
      error ??= message;
      failures.push({ policy, binding, message, reason: 'Invalid' });
    };
    const outcome = await policy.matchConditions?.evaluate(await evaluationNow());
    if (outcome?.error !== undefined) {
      fail(outcome.error);
      return;
    }
    if (outcome?.matches === false) return;
    const id = JSON.stringify([policy.name, binding.name, param?.metadata.namespace, param?.metadata.name]);
    if (reinvocation.isSecond && !own.wants(id)) return;
    let changed = false;
    for (const mutation of policy.rules.mutations) {
      if (attributes.object === undefined) continue;
      try {
        if (await mutate(mutation, policy.rules.scope, await evaluationNow())) changed = true;
      } catch (error) {
        if (isStatusError(error)) throw error;
        fail(errorMessage(error));
      }
    }
    if (changed) {
      own.requirePrevious();
      reinvocation.want();
    }
    if (policy.rules.reinvoke) own.called(id);
    const seconds = (performance.now() - began) / 1_000;
    const of = { policy: policy.name, binding: binding.name };
    this.#needed.checked?.({ mutating: true, ...of, seconds, errorType: errorTypeOf(error), action: '' });
  }
}

/** Returns whether the object has changed. Throws Error with the reason for the client, or StatusError when the request fails at once. */
async function mutate(
  { isJsonPatch, expression }: Mutation,
  scope: PolicyScope,
  evaluation: Evaluation,
): Promise<boolean> {
  const { attributes, objects } = evaluation;
  const { object } = objects;
  if (object === undefined) return false;
  const values = activation(evaluation);
  const result = await settled(() => scope.start(values).evaluate(expression));
  if ('error' in result) throw new Error(result.error.replace(/^compilation error: /, ''));
  const patched = isJsonPatch
    ? patchedBy(object, result.value)
    : appliedTo(object, result.value, attributes.interfaces?.type);
  if (deepEqual(patched, object)) return false;
  try {
    await replaceObject(attributes, patched, objects.kind, { strict: isJsonPatch });
  } catch (error) {
    throw isStatusError(error) ? error : newInternalError(errorMessage(error));
  }
  return true;
}

function patchedBy(object: KubeObject, value: Value): KubeObject {
  if (!(value instanceof ListValue))
    throw new Error('type mismatch: JSONPatchType.expression should evaluate to array');
  const operations = [...value].map((item): JsonPatchOperation => {
    if (!(item instanceof StructValue))
      throw new Error('type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch');
    const nested = item.get('value');
    if (nested instanceof StructValue) checkTypeNames(nested, nested.typeName);
    return record(jsonOf(item));
  });
  try {
    return applyJsonPatch(object, operations) as KubeObject;
  } catch (error) {
    // A failed `test` operation means that there is nothing to change.
    if (errorMessage(error).endsWith('test failed')) return object;
    throw new Error(`JSON Patch: ${errorMessage(error)}`, { cause: error });
  }
}

function appliedTo(object: KubeObject, value: Value, type: Type | undefined): KubeObject {
  if (!(value instanceof StructValue))
    throw new Error(
      `unsupported return type from ApplyConfiguration expression: ${value instanceof MapValue ? 'map' : typeof value}`,
    );
  checkTypeNames(value, 'Object');
  try {
    return mergeConfiguration(object, record(jsonOf(value)), type ?? { kind: 'json' });
  } catch (error) {
    throw new Error(`error applying patch: ${errorMessage(error)}`, { cause: error });
  }
}

/** `Object.spec{...}` may only be used as the value of `spec`. Throws Error. */
function checkTypeNames(value: Value, path: string): void {
  if (value instanceof ListValue) for (const item of value) checkTypeNames(item, path);
  if (!(value instanceof StructValue)) return;
  if (value.typeName !== path)
    throw new Error(
      `type mismatch: unexpected type name ${goQuote(value.typeName)}, expected ${goQuote(path)}, which matches field name path from root Object type`,
    );
  for (const key of value.keys()) if (typeof key === 'string') checkTypeNames(value.get(key) ?? null, `${path}.${key}`);
}

/** The error for all failures that count; the first failure provides the message. After policyDispatcher of k8s.io/apiserver. */
function refusal(attributes: AdmissionAttributes, failures: readonly Failure[]): StatusError {
  const { status } = forbidden(attributes, 'admission request denied by policy');
  const messages = failures.map(({ policy, binding, message }) => {
    const bound = binding === undefined ? '' : ` with binding '${binding.name}'`;
    return `policy '${policy.name}'${bound} denied request: ${message}`;
  });
  const [first] = failures;
  return new StatusError({
    ...status,
    message: messages[0] ?? '',
    ...(first?.reason === undefined ? {} : { reason: first.reason }),
    details: { ...status.details, causes: messages.map((message) => ({ message })) },
  });
}
