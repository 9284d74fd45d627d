import type { NameValidator, Strategy } from '@apichain/apiserver';
import type { RequestContext } from '@apichain/request';
import { holdsEmptied, wasEmpty, type Type } from '@apichain/scheme';
import {
  deepClone,
  field,
  formatGroupVersion,
  isDNS1123SubdomainBytes,
  nameIsDNSLabel,
  nameIsDNSSubdomain,
  pause,
  validatePathSegmentName,
  type FieldError,
  type KubeObject,
  assign,
  semanticEqual,
} from '@apichain/meta';
import { openGates, type OpenGate, type BuiltinResource } from '@apichain/kinds';
import {
  canonicalIpMessages,
  CompiledExpressions,
  defaultCapabilities,
  type Capabilities,
  type KindValidation,
  storageVersionNameMessages,
  type ValidationContext,
  validationOf,
} from '@apichain/kinds-validation';
import { behaviourOf } from './table.ts';
import type { KindBehaviour, NameRule, SubresourceBehaviour } from './behaviour.ts';
import { gatedFieldsDropper } from './gated-fields.ts';

const nameRules: Readonly<Record<NameRule, NameValidator>> = {
  unchecked: () => [],
  subdomain: nameIsDNSSubdomain,
  longName: (name, prefix) => (prefix ? [] : isDNS1123SubdomainBytes(name)),
  label: nameIsDNSLabel,
  any: validatePathSegmentName,
  ipAddress: canonicalIpMessages,
  storageVersion: storageVersionNameMessages,
};

/** Sets the status of a new object: the one of the row, an empty one, or none where the field is a pointer. */
function resetStatus(behaviour: KindBehaviour, type: Type, object: KubeObject): void {
  if (behaviour.status !== 'reset') return;
  const empty = type.byName?.get('status')?.pointer === true ? undefined : {};
  assign(object, 'status', behaviour.initialStatus?.(object) ?? empty);
}

const withoutMetadata = ({ apiVersion: _a, kind: _k, metadata: _m, ...rest }: KubeObject): Record<string, unknown> =>
  rest;

/** Whether one of the fields that count as desired state has changed. */
function desiredStateChanged(behaviour: KindBehaviour, object: KubeObject, old: KubeObject): boolean {
  return (behaviour.generation ?? []).some((name) => {
    if (name === '*') return !semanticEqual(withoutMetadata(object), withoutMetadata(old));
    if (name === 'labels') return !semanticEqual(object.metadata.labels, old.metadata.labels);
    if (behaviour.emptyIsChange === true && (wasEmpty(object, name) || holdsEmptied(object[name]))) return true;
    return !semanticEqual(object[name], old[name]);
  });
}

function bumpGeneration(behaviour: KindBehaviour, object: KubeObject, old: KubeObject): void {
  if (desiredStateChanged(behaviour, object, old)) object.metadata.generation = (old.metadata.generation ?? 0) + 1;
}

/** Restores metadata in a write through a subresource. */
function restoreMetadata(rule: SubresourceBehaviour['metadata'], object: KubeObject, old: KubeObject): void {
  if (rule === 'request') return;
  if (rule === 'old') {
    const managedFields = object.metadata.managedFields;
    object.metadata = { ...deepClone(old.metadata), resourceVersion: object.metadata.resourceVersion };
    if (managedFields === undefined) delete object.metadata.managedFields;
    else object.metadata.managedFields = managedFields;
    return;
  }
  const metadata: Record<string, unknown> = { ...object.metadata };
  const stored: Record<string, unknown> = { ...old.metadata };
  for (const name of ['deletionTimestamp', 'generation', 'labels', 'annotations', 'finalizers', 'ownerReferences']) {
    assign(metadata, name, stored[name]);
  }
  object.metadata = metadata;
}

type CheckContext = Omit<ValidationContext, 'compiled'>;

/** What the checks of a kind need to know: what the server allows, and how objects are named. */
const validationContext = (
  behaviour: KindBehaviour,
  { info: { namespaced } }: BuiltinResource,
  { allowPrivileged }: Capabilities,
): CheckContext => ({
  allowPrivileged,
  namespaced,
  nameRule: (object) => behaviour.nameOf?.(object) ?? nameRules[behaviour.name],
});

/** The errors of the checks, in order, at most `maxErrors`. Other requests may run between two checks. */
async function findingsOf<Old extends KubeObject | undefined>(
  checks: readonly ((object: KubeObject, old: Old, context: ValidationContext) => FieldError[])[],
  object: KubeObject,
  old: Old,
  checkContext: CheckContext,
  compile?: KindValidation['compile'],
): Promise<FieldError[]> {
  const context = { ...checkContext, compiled: new CompiledExpressions() };
  await compile?.(object, old, context.compiled);
  let found: FieldError[] = [];
  for (const check of checks) {
    await pause();
    found = found.concat(check(object, old, context));
    if (found.length >= field.maxErrors) return found.slice(0, field.maxErrors);
  }
  return found;
}

const apiVersionsOf = (versions: readonly string[], group: string): string[] =>
  versions.map((version) => formatGroupVersion({ group, version }));

function resetFieldsFor(
  resource: BuiltinResource,
  versions: readonly string[],
  paths: readonly string[],
): Readonly<Record<string, readonly string[]>> | undefined {
  if (paths.length === 0) return undefined;
  return Object.fromEntries(apiVersionsOf(versions, resource.group).map((apiVersion) => [apiVersion, paths]));
}

/** The server flags that a strategy depends on. */
export interface StrategyOptions {
  /** Default: the gates of kube-apiserver without flags. */
  readonly open?: OpenGate;
  /** Default: privileged containers are not allowed. */
  readonly capabilities?: Capabilities;
}

/**
 * The strategy of a built-in resource, built from its row. `type` is the kind's type in the storage version; `versions` are all
 * versions in which the resource is served.
 */
export function strategyFor(
  resource: BuiltinResource,
  type: Type,
  versions: readonly string[],
  { open = openGates(), capabilities = defaultCapabilities }: StrategyOptions = {},
): Strategy {
  const { group, info } = resource;
  const behaviour = behaviourOf(group, info.plural);
  const validation = validationOf(group, info.plural);
  const context = validationContext(behaviour, resource, capabilities);
  const dropGated = gatedFieldsDropper(behaviour.gated ?? [], open);
  const mainPaths = behaviour.resetFields ?? (behaviour.status === 'reset' ? ['status'] : []);
  return {
    namespaceScoped: info.namespaced,
    validateName: nameRules[behaviour.name],
    allowCreateOnUpdate: resource.allowCreateOnUpdate,
    allowUnconditionalUpdate: resource.allowUnconditionalUpdate,
    returnDeletedObject: behaviour.returnDeletedObject ?? false,
    resetFields: resetFieldsFor(resource, versions, mainPaths),
    ...behaviour.hooks,
    prepareForCreate: (ctx: RequestContext, object: KubeObject) => {
      resetStatus(behaviour, type, object);
      if (behaviour.generation !== undefined) object.metadata.generation = 1;
      dropGated?.(object, undefined);
      behaviour.prepareForCreate?.(object, ctx);
    },
    prepareForUpdate: (ctx: RequestContext, object: KubeObject, old: KubeObject) => {
      if (behaviour.status === 'reset') assign(object, 'status', old.status);
      if (behaviour.gatedIsChange === true) bumpGeneration(behaviour, object, old);
      dropGated?.(object, old);
      behaviour.prepareForUpdate?.(object, old, ctx);
      if (behaviour.gatedIsChange !== true) bumpGeneration(behaviour, object, old);
    },
    validate: (_ctx: RequestContext, object: KubeObject) =>
      findingsOf(validation.create, object, undefined, context, validation.compile),
    validateUpdate: (_ctx: RequestContext, object: KubeObject, old: KubeObject) =>
      findingsOf(validation.update, object, old, context, validation.compile),
    warningsOnCreate: (_ctx: RequestContext, object: KubeObject) => behaviour.warnings?.(object, undefined) ?? [],
    warningsOnUpdate: (_ctx: RequestContext, object: KubeObject, old: KubeObject) =>
      behaviour.warnings?.(object, old) ?? [],
  };
}

type Creation = Pick<Strategy, 'allowCreateOnUpdate' | 'prepareForCreate' | 'validate' | 'warningsOnCreate'>;

/** If PUT may create the object, so may PUT /status. Nothing is allocated then, because only the main endpoint has the allocation hooks. */
function creationThroughStatus(name: string, main: Strategy): Creation {
  if (name !== 'status' || !main.allowCreateOnUpdate) return { allowCreateOnUpdate: false };
  const { prepareForCreate, validate, warningsOnCreate } = main;
  return { allowCreateOnUpdate: true, prepareForCreate, validate, warningsOnCreate };
}

/**
 * The strategy of an update subresource (`status`, `approval`, `finalize`, ...), derived
 * from that of its resource; undefined when the resource has no such subresource.
 */
export function subresourceStrategyFor(
  resource: BuiltinResource,
  name: string,
  main: Strategy,
  versions: readonly string[],
  { open = openGates(), capabilities = defaultCapabilities }: StrategyOptions = {},
): Strategy | undefined {
  const behaviour = behaviourOf(resource.group, resource.info.plural);
  const rule = behaviour.subresources?.[name];
  if (rule === undefined) return undefined;
  const checks = validationOf(resource.group, resource.info.plural).subresources?.[name] ?? [];
  const context = validationContext(behaviour, resource, capabilities);
  const dropGated = gatedFieldsDropper(rule.gated ?? [], open);
  return {
    namespaceScoped: main.namespaceScoped,
    validateName: main.validateName,
    ...creationThroughStatus(name, main),
    allowUnconditionalUpdate: main.allowUnconditionalUpdate,
    canonicalize: main.canonicalize,
    shouldDeleteDuringUpdate: rule.shouldDeleteDuringUpdate ?? main.shouldDeleteDuringUpdate,
    afterDelete: main.afterDelete,
    resetFields: resetFieldsFor(resource, versions, rule.resetFields),
    prepareForUpdate: (ctx: RequestContext, object: KubeObject, old: KubeObject) => {
      for (const member of rule.fromOld) assign(object, member, old[member]);
      restoreMetadata(rule.metadata, object, old);
      dropGated?.(object, old);
      rule.prepareForUpdate?.(object, old, ctx);
    },
    validateUpdate: (_ctx: RequestContext, object: KubeObject, old: KubeObject) =>
      findingsOf(checks, object, old, context),
    warningsOnUpdate: (_ctx: RequestContext, object: KubeObject) => rule.warnings?.(object) ?? [],
  };
}
