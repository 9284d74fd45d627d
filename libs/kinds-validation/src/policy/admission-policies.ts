import type {
  AuditAnnotation,
  MatchCondition,
  MatchResources,
  Mutation,
  NamedRuleWithOperations,
  ParamKind,
  ParamRef,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingAdmissionPolicySpec,
  Validation,
  Variable,
} from '@apichain/api/admissionregistration/v1';
import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  MutatingAdmissionPolicySpec,
} from '@apichain/api/admissionregistration/v1beta1';
import type { LabelSelector } from '@apichain/api/meta/v1';
import {
  byteLength,
  field,
  isDNS1035Label,
  isDNS1123Subdomain,
  isQualifiedName,
  isValidPathSegmentName,
  type FieldError,
} from '@apichain/meta';
import { isSet } from '@apichain/kinds';
import { semanticEqual } from '@apichain/meta';
import { compileEach, type CompiledExpressions } from '../common/compiled-expressions.ts';
import { conditionErrors as statusConditionErrors } from '../common/conditions.ts';
import { goList } from '../common/go-value.ts';
import {
  checkEach,
  choice,
  collect,
  givenChoice,
  invalidEach,
  requiredChoice,
  requiredName,
  requiredText,
  repeats,
  type Out,
} from '../common/rules.ts';
import { labelSelectorErrors } from '../common/selectors.ts';
import { PolicyExpressions } from './policy-expressions.ts';
import type { ValidationContext } from '../kind-validation.ts';
import { admissionRuleErrors, conditionErrors, matchConditionErrors } from './webhooks.ts';

const failurePolicies = ['Fail', 'Ignore'];

function paramKindErrors(out: Out, paramKind: ParamKind | undefined): void {
  if (!isSet(paramKind)) return;
  const { apiVersion: version = '', kind = '' } = paramKind;
  const path = 'spec.paramKind';
  const parts = version.split('/');
  const at = `${path}.apiVersion`;
  if (version === '') out.push(field.required(at));
  else if (parts.length > 2) out.push(field.invalid(at, version, `unexpected GroupVersion string: ${version}`));
  else {
    const group = parts.length === 2 ? (parts[0] ?? '') : '';
    const name = parts.at(-1) ?? '';
    const groupMessages = group === '' ? [] : isDNS1123Subdomain(group);
    if (groupMessages.length > 0) out.push(field.invalid(at, group, groupMessages.join(',')));
    if (name === '') out.push(field.invalid(at, version, 'version must be specified'));
    else if (isDNS1035Label(name).length > 0) out.push(field.invalid(at, name, isDNS1035Label(name).join(',')));
  }
  if (kind === '') out.push(field.required(`${path}.kind`));
  else {
    const messages = isDNS1035Label(kind.toLowerCase());
    if (messages.length > 0) {
      const detail = `may have mixed case, but should otherwise match: ${messages.join(',')}`;
      out.push(field.invalid(`${path}.kind`, kind, detail));
    }
  }
}

function namedRuleErrors(out: Out, path: string, rule: NamedRuleWithOperations): void {
  const names = rule.resourceNames ?? [];
  const repeated = new Set(repeats(names).map(([position]) => position));
  checkEach(out, names, (out, name, j) => {
    invalidEach(out, `${path}.resourceNames[${j}]`, name, isValidPathSegmentName(name));
    if (repeated.has(j)) out.push(field.duplicate(`${path}.resourceNames[${j}]`, name));
  });
  admissionRuleErrors(out, path, rule);
}

function requiredSelector(out: Out, path: string, selector: LabelSelector | undefined): void {
  if (isSet(selector)) labelSelectorErrors(out, path, selector);
  else out.push(field.required(path));
}

/** Checks which objects a policy matches. */
function matchResourceErrors(out: Out, path: string, resources: MatchResources): void {
  givenChoice(out, `${path}.matchPolicy`, resources.matchPolicy, ['Equivalent', 'Exact']);
  requiredSelector(out, `${path}.namespaceSelector`, resources.namespaceSelector);
  requiredSelector(out, `${path}.objectSelector`, resources.objectSelector);
  for (const name of ['resourceRules', 'excludeResourceRules'] as const) {
    checkEach(out, resources[name] ?? [], (out, rule, i) => namedRuleErrors(out, `${path}.${name}[${i}]`, rule));
  }
}

function matchConstraintErrors(out: Out, constraints: MatchResources | undefined): void {
  const path = 'spec.matchConstraints';
  if (!isSet(constraints)) {
    out.push(field.required(path));
    return;
  }
  matchResourceErrors(out, path, constraints);
  if ((constraints.resourceRules ?? []).length === 0) out.push(field.required(`${path}.resourceRules`));
}

const identifier = /^[_a-zA-Z][_a-zA-Z0-9]*$/;
const reservedWords = new Set(
  (
    'true false null in as break const continue else for function if import let loop package namespace ' +
    'return var void while'
  ).split(' '),
);
const isCelIdentifier = (name: string): boolean => identifier.test(name) && !reservedWords.has(name);

const variableErrors =
  (expressions: PolicyExpressions): field.MemberCheck<Variable> =>
  (out, variable, i) => {
    const path = `spec.variables[${i}]`;
    const name = variable.name ?? '';
    if (name.trim() === '') out.push(field.required(`${path}.name`, 'name is not specified'));
    else if (!isCelIdentifier(name)) out.push(field.invalid(`${path}.name`, name, 'must be a valid CEL identifier'));
    const expression = variable.expression ?? '';
    if (expression.trim() === '') out.push(field.required(`${path}.expression`, 'expression is not specified'));
    else expressions.variable(out, `${path}.expression`, name, expression);
  };

const reasons = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];

const validationErrors =
  (expressions: PolicyExpressions): field.MemberCheck<Validation> =>
  (out, validation, i) => {
    const path = `spec.validations[${i}]`;
    const message = validation.message ?? '';
    const messageExpression = validation.messageExpression ?? '';
    const expression = validation.expression ?? '';
    if (expression.trim() === '') out.push(field.required(`${path}.expression`, 'expression is not specified'));
    else expressions.check(out, `${path}.expression`, expression, 'condition');
    const nonEmpty = 'must be non-empty if specified';
    if (messageExpression !== '' && messageExpression.trim() === '') {
      out.push(field.invalid(`${path}.messageExpression`, messageExpression, nonEmpty));
    } else if (messageExpression !== '') {
      expressions.check(out, `${path}.messageExpression`, messageExpression, 'message');
    }
    if (message !== '' && message.trim() === '') out.push(field.invalid(`${path}.message`, message, nonEmpty));
    else if (/[\r\n]/.test(message.trim())) {
      out.push(field.invalid(`${path}.message`, message, 'must not contain line breaks'));
    }
    choice(out, `${path}.reason`, validation.reason, reasons);
  };

const mostAnnotations = 20;
const longestExpression = 5 * 1024;

function valueExpressionErrors(out: Out, annotation: AuditAnnotation, i: number, expressions: PolicyExpressions): void {
  const expression = (annotation.valueExpression ?? '').trim();
  const at = `spec.auditAnnotations[${i}].valueExpression`;
  if (expression === '') out.push(field.required(at, 'valueExpression is not specified'));
  else if (byteLength(expression) > longestExpression) {
    out.push(field.required(at, `must not exceed ${longestExpression} bytes in length`));
  } else expressions.check(out, at, expression, 'auditAnnotation');
}

function auditAnnotationErrors(
  out: Out,
  policy: ValidatingAdmissionPolicy,
  annotations: readonly AuditAnnotation[],
  expressions: PolicyExpressions,
): void {
  const name = policy.metadata.name ?? '';
  const path = 'spec.auditAnnotations';
  if (annotations.length > mostAnnotations) {
    const shown = goList('admissionregistration.k8s.io.v1.AuditAnnotation', annotations);
    out.push(field.invalid(path, shown, `must not have more than ${mostAnnotations} auditAnnotations`));
  }
  const keys = new Set<string>();
  checkEach(out, annotations, (out, annotation, i) => {
    const key = annotation.key ?? '';
    const where = `${path}[${i}].key`;
    if (name === '') out.push(field.invalid(where, key, 'requires metadata.name be non-empty'));
    else invalidEach(out, where, `${name}/${key}`, isQualifiedName(`${name}/${key}`));
    valueExpressionErrors(out, annotation, i, expressions);
    if (keys.has(key)) out.push(field.duplicate(where, key));
    keys.add(key);
  });
}

type Policy = ValidatingAdmissionPolicy | MutatingAdmissionPolicy;

/** The match conditions that are validated: none when an update leaves them as they are. */
function changedConditions(policy: Policy, old: Policy | undefined): readonly MatchCondition[] {
  const conditions = policy.spec?.matchConditions ?? [];
  return old !== undefined && semanticEqual(conditions, old.spec?.matchConditions ?? []) ? [] : conditions;
}

function policyConditionErrors(
  out: Out,
  policy: Policy,
  old: Policy | undefined,
  { matchConditions, compiled }: PolicyExpressions,
): void {
  matchConditionErrors(out, 'spec.matchConditions', changedConditions(policy, old), matchConditions, compiled);
}

/** Compiles the expressions of a policy. */
export async function compilePolicy(
  policy: Policy,
  old: Policy | undefined,
  compiled: CompiledExpressions,
): Promise<void> {
  const spec: ValidatingAdmissionPolicySpec & MutatingAdmissionPolicySpec = policy.spec ?? {};
  const expressions = new PolicyExpressions(spec, compiled);
  await compileEach(changedConditions(policy, old), (out, condition, i) => {
    const path = `spec.matchConditions[${i}].expression`;
    conditionErrors(out, path, condition, expressions.matchConditions, compiled);
  });
  await compileEach(spec.variables, variableErrors(expressions));
  await compileEach(spec.validations, validationErrors(expressions));
  await compileEach(spec.auditAnnotations, (out, annotation, i) =>
    valueExpressionErrors(out, annotation, i, expressions),
  );
  await compileEach(spec.mutations, mutationErrors(expressions));
}

/** https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/ */
export function validateValidatingPolicy(
  policy: ValidatingAdmissionPolicy,
  old: ValidatingAdmissionPolicy | undefined,
  { compiled }: ValidationContext,
): FieldError[] {
  return collect((out) => {
    const spec = policy.spec ?? {};
    const expressions = new PolicyExpressions(spec, compiled);
    givenChoice(out, 'spec.failurePolicy', spec.failurePolicy, failurePolicies);
    paramKindErrors(out, spec.paramKind);
    matchConstraintErrors(out, spec.matchConstraints);
    policyConditionErrors(out, policy, old, expressions);
    checkEach(out, spec.variables ?? [], variableErrors(expressions));
    const annotations = spec.auditAnnotations ?? [];
    const validations = spec.validations ?? [];
    if (validations.length === 0 && annotations.length === 0) {
      const detail = 'validations or auditAnnotations must contain at least one item';
      out.push(field.required('spec.validations', detail), field.required('spec.auditAnnotations', detail));
      return;
    }
    checkEach(out, validations, validationErrors(expressions));
    auditAnnotationErrors(out, policy, annotations, expressions);
  });
}

/** Checks the result of type checking and the conditions in the status of a policy. */
export function validateValidatingPolicyStatus(policy: ValidatingAdmissionPolicy): FieldError[] {
  return collect((out) => {
    const warnings = policy.status?.typeChecking?.expressionWarnings ?? [];
    checkEach(out, warnings, (out, warning, i) => {
      const path = `status.typeChecking.expressionWarnings[${i}]`;
      requiredText(out, `${path}.warning`, warning.warning);
      requiredText(out, `${path}.fieldRef`, warning.fieldRef);
    });
    statusConditionErrors(out, 'status.conditions', policy.status?.conditions);
  });
}

const mutatingOperations = ['*', 'CONNECT', 'CREATE', 'UPDATE'];

function mutatingOperationErrors(out: Out, path: string, resources: MatchResources | undefined): void {
  checkEach(out, resources?.resourceRules ?? [], (out, rule) => {
    checkEach(out, rule.operations ?? [], (out, operation) => {
      choice(out, `${path}.resourceRules.operations`, operation, mutatingOperations);
    });
  });
}

const mutationErrors =
  (expressions: PolicyExpressions): field.MemberCheck<Mutation> =>
  (out, mutation, i) => {
    const path = `spec.mutations[${i}]`;
    const kinds = { JSONPatch: 'jsonPatch', ApplyConfiguration: 'applyConfiguration' } as const;
    requiredChoice(out, `${path}.patchType`, mutation.patchType, ['ApplyConfiguration', 'JSONPatch']);
    checkEach(out, Object.entries(kinds), (out, [type, member]) => {
      if (mutation.patchType !== type) return;
      const other = member === 'jsonPatch' ? 'applyConfiguration' : 'jsonPatch';
      const patch = mutation[member];
      if (!isSet(patch)) {
        out.push(field.required(`${path}.${member}`, `must be specified when patchType is ${type}`));
      } else {
        const expression = patch.expression ?? '';
        if (expression.trim() === '') out.push(field.required(`${path}.${member}.expression`));
        else expressions.check(out, `${path}.${member}.expression`, expression, member);
      }
      if (isSet(mutation[other])) {
        const detail = `must not be specified when patchType is ${type}`;
        out.push(field.invalid(`${path}.${other}`, `{${other}}`, detail));
      }
    });
  };

export function validateMutatingPolicy(
  policy: MutatingAdmissionPolicy,
  old: MutatingAdmissionPolicy | undefined,
  { compiled }: ValidationContext,
): FieldError[] {
  return collect((out) => {
    const spec = policy.spec ?? {};
    const expressions = new PolicyExpressions(spec, compiled);
    givenChoice(out, 'spec.failurePolicy', spec.failurePolicy, failurePolicies);
    paramKindErrors(out, spec.paramKind);
    matchConstraintErrors(out, spec.matchConstraints);
    mutatingOperationErrors(out, 'spec.matchConstraints', spec.matchConstraints);
    policyConditionErrors(out, policy, old, expressions);
    checkEach(out, spec.variables ?? [], variableErrors(expressions));
    const mutations = spec.mutations ?? [];
    if (mutations.length === 0) {
      out.push(field.required('spec.mutations', 'mutations must contain at least one item'));
    }
    checkEach(out, mutations, mutationErrors(expressions));
    requiredChoice(out, 'spec.reinvocationPolicy', spec.reinvocationPolicy, ['IfNeeded', 'Never']);
  });
}

const exclusive = 'name and selector are mutually exclusive';

function paramRefErrors(out: Out, reference: ParamRef | undefined): void {
  if (!isSet(reference)) return;
  const path = 'spec.paramRef';
  const { name = '', selector, parameterNotFoundAction } = reference;
  if (name !== '') {
    invalidEach(out, `${path}.name`, name, isValidPathSegmentName(name));
    if (isSet(selector)) out.push(field.forbidden(`${path}.name`, exclusive));
  } else if (!isSet(selector)) out.push(field.required(path, 'one of name or selector must be specified'));
  labelSelectorErrors(out, `${path}.selector`, selector);
  if (isSet(selector) && name !== '') out.push(field.forbidden(`${path}.selector`, exclusive));
  requiredChoice(out, `${path}.parameterNotFoundAction`, parameterNotFoundAction, ['Deny', 'Allow']);
}

/** The fields of both kinds of bindings. */
type BindingSpec = NonNullable<ValidatingAdmissionPolicyBinding['spec'] | MutatingAdmissionPolicyBinding['spec']>;

function bindingErrors(out: Out, spec: BindingSpec): void {
  requiredName(out, 'spec.policyName', spec.policyName, isDNS1123Subdomain);
  paramRefErrors(out, spec.paramRef);
  if (isSet(spec.matchResources)) matchResourceErrors(out, 'spec.matchResources', spec.matchResources);
}

export function validateValidatingBinding(binding: ValidatingAdmissionPolicyBinding): FieldError[] {
  return collect((out) => {
    const spec = binding.spec ?? {};
    bindingErrors(out, spec);
    const path = 'spec.validationActions';
    const actions = spec.validationActions ?? [];
    if (actions.length === 0) out.push(field.required(path, 'at least one validation action is required'));
    const repeated = new Set(repeats(actions).map(([position]) => position));
    checkEach(out, actions, (out, action, i) => {
      choice(out, `${path}[${i}]`, action, ['Audit', 'Deny', 'Warn']);
      if (repeated.has(i)) out.push(field.duplicate(`${path}[${i}]`, action));
    });
    if (actions.includes('Deny') && actions.includes('Warn')) {
      const detail =
        'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)';
      out.push(field.invalid(path, actions, detail));
    }
  });
}

export function validateMutatingBinding(binding: MutatingAdmissionPolicyBinding): FieldError[] {
  return collect((out) => {
    const spec = binding.spec ?? {};
    bindingErrors(out, spec);
    mutatingOperationErrors(out, 'spec.matchResources', spec.matchResources);
  });
}
