import type {
  MatchCondition,
  MutatingWebhook,
  MutatingWebhookConfiguration,
  RuleWithOperations,
  ServiceReference,
  ValidatingWebhookConfiguration,
  WebhookClientConfig,
} from '@apichain/api/admissionregistration/v1';
import { admissionEnvironment, admissionResults, type ExpressionEnvironment } from '@apichain/cel';
import { field, isDNS1035Label, isQualifiedName, type FieldError } from '@apichain/meta';
import { webhookServiceErrors, webhookUrlErrors } from '@apichain/schema';
import { isSet } from '@apichain/kinds';
import { semanticEqual } from '@apichain/meta';
import { compileEach, type CompiledExpressions, compileErrors } from '../common/compiled-expressions.ts';
import { fullyQualifiedName } from '../common/formats.ts';
import { checkEach, choice, collect, invalidEach, type Out, strictChoice } from '../common/rules.ts';
import { labelSelectorErrors } from '../common/selectors.ts';
import type { ValidationContext } from '../kind-validation.ts';

const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];

function starErrors(out: Out, path: string, values: readonly string[], what: string): void {
  if (values.length > 1 && values.includes('*')) {
    out.push(field.invalid(path, values, `if '*' is present, must not specify other ${what}`));
  }
}

/** Checks the resources of a rule: a wildcard must not be combined with resources that it covers. */
function resourceErrors(out: Out, path: string, resources: readonly string[]): void {
  let everything = false;
  let everyResource = false;
  let plain = false;
  const wholeResources = new Set<string>();
  const wholeSubresources = new Set<string>();
  for (const [k, resource] of resources.entries()) {
    const at = `${path}[${k}]`;
    if (resource === '') {
      out.push(field.required(at));
      continue;
    }
    if (resource === '*/*') everything = true;
    if (resource === '*') everyResource = true;
    const slash = resource.indexOf('/');
    if (slash < 0) {
      // As in kube-apiserver, the last entry without a subresource decides.
      plain = resource !== '*';
      continue;
    }
    const base = resource.slice(0, slash);
    const subresource = resource.slice(slash + 1);
    if (wholeResources.has(base)) {
      out.push(field.invalid(at, resource, `if '${base}/*' is present, must not specify ${resource}`));
    }
    if (wholeSubresources.has(subresource)) {
      out.push(field.invalid(at, resource, `if '*/${subresource}' is present, must not specify ${resource}`));
    }
    if (subresource === '*') wholeResources.add(base);
    if (base === '*') wholeSubresources.add(subresource);
  }
  if (resources.length > 1 && everything) {
    out.push(field.invalid(path, resources, "if '*/*' is present, must not specify other resources"));
  }
  if (everyResource && plain) {
    const detail = "if '*' is present, must not specify other resources without subresources";
    out.push(field.invalid(path, resources, detail));
  }
}

/** Checks the operations and resources that a webhook or policy matches. */
export function admissionRuleErrors(out: Out, path: string, rule: RuleWithOperations): void {
  const ops = rule.operations ?? [];
  const groups = rule.apiGroups ?? [];
  const versions = rule.apiVersions ?? [];
  const resources = rule.resources ?? [];
  if (ops.length === 0) out.push(field.required(`${path}.operations`));
  starErrors(out, `${path}.operations`, ops, 'operations');
  checkEach(out, ops, (out, operation, k) => strictChoice(out, `${path}.operations[${k}]`, operation, operations));
  if (groups.length === 0) out.push(field.required(`${path}.apiGroups`));
  starErrors(out, `${path}.apiGroups`, groups, 'API groups');
  if (versions.length === 0) out.push(field.required(`${path}.apiVersions`));
  starErrors(out, `${path}.apiVersions`, versions, 'API versions');
  checkEach(out, versions, (out, version, k) => {
    if (version === '') out.push(field.required(`${path}.apiVersions[${k}]`));
  });
  if (resources.length === 0) out.push(field.required(`${path}.resources`));
  resourceErrors(out, `${path}.resources`, resources);
  choice(out, `${path}.scope`, rule.scope, ['*', 'Cluster', 'Namespaced']);
}

const serviceOf = ({ namespace, name, port, path }: ServiceReference) => ({
  namespace: namespace ?? '',
  name: name ?? '',
  port: port ?? 0,
  ...(isSet(path) ? { path } : {}),
});

function clientErrors(out: Out, path: string, { url, service }: WebhookClientConfig): void {
  if (isSet(url) === isSet(service)) out.push(field.required(path, 'exactly one of url or service is required'));
  else if (isSet(url)) out.push(...webhookUrlErrors(url, `${path}.url`));
  else out.push(...webhookServiceErrors(serviceOf(service ?? {}), `${path}.service`));
}

const mostConditions = 64;
const webhookEnvironment = admissionEnvironment({ params: false, authorizer: true });

/** Checks that the expression of a match condition compiles to bool. */
export function conditionErrors(
  out: Out,
  path: string,
  condition: MatchCondition,
  environment: ExpressionEnvironment,
  compiled: CompiledExpressions,
): void {
  const expression = (condition.expression ?? '').trim();
  if (expression === '') out.push(field.required(path));
  else {
    const found = compiled.at(path, expression, environment, admissionResults.condition);
    out.push(...compileErrors(path, expression, found));
  }
}

/** Checks the names of match conditions, and their expressions. */
export function matchConditionErrors(
  out: Out,
  path: string,
  conditions: readonly MatchCondition[],
  environment: ExpressionEnvironment,
  compiled: CompiledExpressions,
): void {
  if (conditions.length > mostConditions) out.push(field.tooMany(path, conditions.length, mostConditions));
  const names = new Set<string>();
  checkEach(out, conditions, (out, condition, j) => {
    const at = `${path}[${j}]`;
    const name = condition.name ?? '';
    conditionErrors(out, `${at}.expression`, condition, environment, compiled);
    if (name === '') out.push(field.required(`${at}.name`));
    else {
      invalidEach(out, `${at}.name`, name, isQualifiedName(name));
      if (names.has(name)) out.push(field.duplicate(`${at}.name`, name));
    }
    names.add(name);
  });
}

const knownVersions = ['v1', 'v1beta1'];

function reviewVersionErrors(out: Out, path: string, versions: readonly string[], requireKnown: boolean): void {
  if (versions.length === 0) {
    out.push(field.required(path, `must specify one of ${knownVersions.join(', ')}`));
    return;
  }
  const seen = new Set<string>();
  checkEach(out, versions, (out, version, j) => {
    const at = `${path}[${j}]`;
    if (seen.has(version)) {
      out.push(field.invalid(at, version, 'duplicate version'));
      return;
    }
    invalidEach(out, at, version, isDNS1035Label(version));
    seen.add(version);
  });
  if (requireKnown && !versions.some((version) => knownVersions.includes(version))) {
    out.push(field.invalid(path, versions, `must include at least one of ${knownVersions.join(', ')}`));
  }
}

interface WebhookOptions {
  readonly uniqueNames: boolean;
  readonly requireKnownVersion: boolean;
  readonly sideEffects: readonly string[];
  readonly conditions: boolean;
}

/** `webhook` may be a validating one, which has the fields of a mutating one except `reinvocationPolicy`. */
function webhookErrors(
  out: Out,
  path: string,
  webhook: MutatingWebhook,
  mutating: boolean,
  options: WebhookOptions,
  compiled: CompiledExpressions,
): void {
  fullyQualifiedName(out, `${path}.name`, webhook.name);
  checkEach(out, webhook.rules ?? [], (out, rule, j) => admissionRuleErrors(out, `${path}.rules[${j}]`, rule));
  choice(out, `${path}.failurePolicy`, webhook.failurePolicy, ['Fail', 'Ignore']);
  choice(out, `${path}.matchPolicy`, webhook.matchPolicy, ['Equivalent', 'Exact']);
  if (!isSet(webhook.sideEffects)) {
    out.push(field.required(`${path}.sideEffects`, 'must specify one of None, NoneOnDryRun'));
  } else choice(out, `${path}.sideEffects`, webhook.sideEffects, options.sideEffects);
  const timeout = webhook.timeoutSeconds ?? 0;
  if (isSet(webhook.timeoutSeconds) && (timeout < 1 || timeout > 30)) {
    const detail = 'the timeout value must be between 1 and 30 seconds';
    out.push(field.invalid(`${path}.timeoutSeconds`, timeout, detail));
  }
  labelSelectorErrors(out, `${path}.namespaceSelector`, webhook.namespaceSelector);
  labelSelectorErrors(out, `${path}.objectSelector`, webhook.objectSelector);
  if (mutating) choice(out, `${path}.reinvocationPolicy`, webhook.reinvocationPolicy, ['IfNeeded', 'Never']);
  clientErrors(out, `${path}.clientConfig`, webhook.clientConfig ?? {});
  if (options.conditions)
    matchConditionErrors(out, `${path}.matchConditions`, webhook.matchConditions ?? [], webhookEnvironment, compiled);
}

const isUnique = (names: readonly string[]): boolean => new Set(names).size === names.length;

function optionsFor(webhooks: readonly MutatingWebhook[], old: readonly MutatingWebhook[] | undefined): WebhookOptions {
  const strict = ['None', 'NoneOnDryRun'];
  if (old === undefined) {
    return { uniqueNames: true, requireKnownVersion: true, sideEffects: strict, conditions: true };
  }
  const versionsKnown = old.every((webhook) =>
    (webhook.admissionReviewVersions ?? []).some((v) => knownVersions.includes(v)),
  );
  const effectsKnown = old.every((webhook) => strict.includes(webhook.sideEffects ?? ''));
  return {
    uniqueNames: isUnique(old.map((webhook) => webhook.name ?? '')),
    requireKnownVersion: versionsKnown,
    sideEffects: effectsKnown ? strict : [...strict, 'Some', 'Unknown'],
    conditions: !semanticEqual(
      webhooks.map((webhook) => webhook.matchConditions ?? []),
      old.map((webhook) => webhook.matchConditions ?? []),
    ),
  };
}

function configurationErrors(
  object: MutatingWebhookConfiguration,
  old: MutatingWebhookConfiguration | undefined,
  mutating: boolean,
  compiled: CompiledExpressions,
): FieldError[] {
  return collect((out) => {
    const webhooks = object.webhooks ?? [];
    const options = optionsFor(webhooks, old === undefined ? undefined : (old.webhooks ?? []));
    const names = new Set<string>();
    checkEach(out, webhooks, (out, webhook, i) => {
      const path = `webhooks[${i}]`;
      webhookErrors(out, path, webhook, mutating, options, compiled);
      const versions = webhook.admissionReviewVersions ?? [];
      reviewVersionErrors(out, `${path}.admissionReviewVersions`, versions, options.requireKnownVersion);
      const name = webhook.name ?? '';
      if (options.uniqueNames && name !== '') {
        if (names.has(name)) out.push(field.duplicate(`${path}.name`, name));
        names.add(name);
      }
    });
  });
}

/** Compiles the match conditions of a configuration, unless an update leaves them as they are. */
export async function compileConditions(
  { webhooks = [] }: MutatingWebhookConfiguration | ValidatingWebhookConfiguration,
  old: MutatingWebhookConfiguration | ValidatingWebhookConfiguration | undefined,
  compiled: CompiledExpressions,
): Promise<void> {
  if (!optionsFor(webhooks, old === undefined ? undefined : (old.webhooks ?? [])).conditions) return;
  for (const [i, { matchConditions }] of webhooks.entries()) {
    await compileEach(matchConditions, (out, condition, j) =>
      conditionErrors(out, `webhooks[${i}].matchConditions[${j}].expression`, condition, webhookEnvironment, compiled),
    );
  }
}

/** https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/ */
export const validateValidatingWebhooks = (
  object: ValidatingWebhookConfiguration,
  old: ValidatingWebhookConfiguration | undefined,
  { compiled }: ValidationContext,
): FieldError[] => configurationErrors(object, old, false, compiled);
export const validateMutatingWebhooks = (
  object: MutatingWebhookConfiguration,
  old: MutatingWebhookConfiguration | undefined,
  { compiled }: ValidationContext,
): FieldError[] => configurationErrors(object, old, true, compiled);
