import type { RequestContext } from '@apichain/request';
import type { Strategy } from '@apichain/apiserver';
import {
  deepClone,
  deepEqual,
  field,
  formatGroupVersion,
  isQualifiedName,
  nameIsDNSSubdomain,
  pause,
  validateObjectMeta,
  validateObjectMetaUpdate,
  type FieldError,
  type GroupKind,
  type KubeObject,
  type ManagedFieldsEntry,
} from '@apichain/meta';
import { goQuote } from '@apichain/go-text';
import { validateEmbeddedResources, validateListTypes, type ObjectMetaRules } from '@apichain/schema';
import { validateScaleSpec, validateScaleStatus } from './scale-values.ts';
import type { VersionConverter } from './object-codec.ts';
import type { VersionSchema } from './version-schema.ts';

/** The input of `customStrategy` and `customStatusStrategy`. */
export interface CustomStrategyOptions extends GroupKind {
  readonly namespaced: boolean;
  readonly schemas: ReadonlyMap<string, VersionSchema>;
  readonly storageVersion: string;
  readonly metadata: ObjectMetaRules;
  /** Absent = versions differ only in the fields of their schemas. */
  readonly converter?: VersionConverter;
}

/**
 * The strategy for writes of custom resources. Objects arrive in the storage version and are validated with the schema of the request's version.
 * After k8s.io/apiextensions-apiserver/pkg/registry/customresource.
 */
export function customStrategy(options: CustomStrategyOptions): Strategy {
  const schemaOf = (ctx: RequestContext) => schemaFor(options, ctx);
  const hasStatus = (ctx: RequestContext) => servesStatus(schemaOf(ctx));
  // Fields that the request's version does not have do not count as removed.
  const seen = (ctx: RequestContext, stored: KubeObject): KubeObject =>
    options.converter !== undefined || ctx.requestInfo.apiVersion === options.storageVersion
      ? stored
      : (schemaOf(ctx)?.fit(deepClone(stored)) ?? stored);
  return {
    namespaceScoped: options.namespaced,
    validateName: nameIsDNSSubdomain,
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: false,
    prepareForCreate(ctx, object) {
      if (hasStatus(ctx)) delete object.status;
      object.metadata.generation = 1;
    },
    async validate(ctx, object) {
      const seen = await inRequestVersion(options, ctx, object);
      return validateNew(options, ctx, seen);
    },
    warningsOnCreate: (_ctx, object) => finalizerWarnings(object, undefined),
    prepareForUpdate(ctx, object, stored) {
      const old = seen(ctx, stored);
      if (hasStatus(ctx)) {
        if (old.status === undefined) delete object.status;
        else object.status = old.status;
      }
      if (!deepEqual(withoutMetadata(object), withoutMetadata(old)))
        object.metadata.generation = (old.metadata.generation ?? 0) + 1;
    },
    async validateUpdate(ctx, object, old) {
      const seen = await inRequestVersion(options, ctx, object);
      const before = await inRequestVersion(options, ctx, old);
      return validateChanged(options, ctx, seen, before);
    },
    warningsOnUpdate: (_ctx, object, old) => finalizerWarnings(object, old),
    resetFields: resetFields(options, ['status'], true),
  };
}

/** Updates through /status change only the status. */
export function customStatusStrategy(options: CustomStrategyOptions): Strategy {
  return {
    namespaceScoped: options.namespaced,
    validateName: nameIsDNSSubdomain,
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: false,
    prepareForUpdate(_ctx, object, old) {
      const { status } = object;
      const managedFields: ManagedFieldsEntry[] | undefined = object.metadata.managedFields;
      for (const name of Object.keys(object)) delete object[name];
      Object.assign(object, deepClone(old));
      if (managedFields === undefined) delete object.metadata.managedFields;
      else object.metadata.managedFields = managedFields;
      if (status === undefined) delete object.status;
      else object.status = status;
    },
    async validateUpdate(ctx, object, old) {
      const seen = await inRequestVersion(options, ctx, object);
      const before = await inRequestVersion(options, ctx, old);
      return validateChangedStatus(options, ctx, seen, before);
    },
    resetFields: resetFields(options, ['metadata', 'spec'], false),
  };
}

const servesStatus = (schema: VersionSchema | undefined): boolean => {
  const status = schema?.version.subresources?.status;
  return status !== undefined && status !== null;
};

const schemaFor = (options: CustomStrategyOptions, ctx: RequestContext): VersionSchema | undefined =>
  options.schemas.get(ctx.requestInfo.apiVersion) ?? options.schemas.get(options.storageVersion);

function resetFields(
  { group, schemas }: CustomStrategyOptions,
  paths: readonly string[],
  onlyWithStatus: boolean,
): Record<string, readonly string[]> {
  const versions = [...schemas.values()].filter((s) => !onlyWithStatus || servesStatus(s));
  return Object.fromEntries(versions.map((s) => [formatGroupVersion({ group, version: s.version.name }), paths]));
}

const withoutMetadata = ({ metadata: _metadata, ...rest }: KubeObject) => rest;

/** The object in the version of the request, for validation with the schema of that version. */
async function inRequestVersion(
  options: CustomStrategyOptions,
  ctx: RequestContext,
  object: KubeObject,
): Promise<KubeObject> {
  const { group, converter } = options;
  const schema = schemaFor(options, ctx);
  if (schema === undefined) return object;
  const apiVersion = formatGroupVersion({ group, version: schema.version.name });
  if (converter === undefined || object.apiVersion === apiVersion) return { ...object, apiVersion };
  const [converted = object] = await converter.convert([deepClone(object)], apiVersion);
  return schema.fit(converted);
}

async function validateNew(
  options: CustomStrategyOptions,
  ctx: RequestContext,
  seen: KubeObject,
): Promise<FieldError[]> {
  const schema = schemaFor(options, ctx);
  const validate = () => validateObjectMeta(seen.metadata, options.namespaced, nameIsDNSSubdomain, 'metadata');
  if (schema === undefined) return validate();
  const { scale } = schema.version.subresources ?? {};
  const errors = ofKind(options, seen, () => [
    ...validate(),
    ...schema.validator.validate(seen, ''),
    ...validateScaleSpec(seen, scale),
    ...validateScaleStatus(seen, scale),
  ]);
  await pause();
  const embedded = validateEmbeddedResources(seen, schema.structural, '', options.metadata);
  await pause();
  const repeated = validateListTypes(seen, schema.structural, '');
  await pause();
  return withRules(ctx, [...errors, ...embedded, ...repeated], schema, seen, undefined);
}

/** An object of another kind is not validated with the schema; the later validations still apply. */
const ofKind = ({ kind }: GroupKind, object: KubeObject, validate: () => FieldError[]): FieldError[] =>
  object.kind === kind ? validate() : [field.invalid('kind', object.kind, `must be ${kind}`)];

async function validateChanged(
  options: CustomStrategyOptions,
  ctx: RequestContext,
  seen: KubeObject,
  before: KubeObject,
): Promise<FieldError[]> {
  const schema = schemaFor(options, ctx);
  if (schema === undefined) return [];
  const { scale } = schema.version.subresources ?? {};
  const errors = ofKind(options, seen, () => [
    ...validateObjectMetaUpdate(seen.metadata, before.metadata, 'metadata'),
    ...schema.validator.validateUpdate(seen, before, ''),
    ...validateScaleSpec(seen, scale),
    ...validateScaleStatus(seen, scale),
  ]);
  await pause();
  const embedded = validateEmbeddedResources(seen, schema.structural, '', options.metadata);
  await pause();
  const repeated = newListTypeErrors(schema, seen, before);
  await pause();
  return withRules(ctx, [...errors, ...embedded, ...repeated], schema, seen, before);
}

async function validateChangedStatus(
  options: CustomStrategyOptions,
  ctx: RequestContext,
  seen: KubeObject,
  before: KubeObject,
): Promise<FieldError[]> {
  const schema = schemaFor(options, ctx);
  if (schema === undefined) return [];
  const errors = [
    ...validateObjectMetaUpdate(seen.metadata, before.metadata, 'metadata'),
    ...(seen.status === undefined ? [] : schema.statusValidator.validateUpdate(seen.status, before.status, 'status')),
    ...validateScaleStatus(seen, schema.version.subresources?.scale),
    ...newListTypeErrors(schema, seen, before),
  ];
  await pause();
  return withRules(ctx, errors, schema, seen, before);
}

/** Duplicates do not fail an update of an object that already had duplicates. */
function newListTypeErrors(schema: VersionSchema, object: KubeObject, old: KubeObject): FieldError[] {
  const errors = validateListTypes(object, schema.structural, '');
  if (errors.length === 0 || validateListTypes(old, schema.structural, '').length > 0) return [];
  return errors;
}

const blocking: ReadonlySet<string> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

async function withRules(
  ctx: RequestContext,
  errors: FieldError[],
  schema: VersionSchema,
  object: KubeObject,
  old: KubeObject | undefined,
): Promise<FieldError[]> {
  if (!schema.hasRules) return errors;
  if (errors.some((e) => blocking.has(e.reason)))
    return [
      ...errors,
      field.invalid(
        '<nil>',
        null,
        'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
      ),
    ];
  const forgiven = (error: FieldError) => ctx.warn(`${error.field}: ${error.message}`);
  const { rules } = schema;
  return rules === undefined ? errors : [...errors, ...(await rules.evaluate(object, old, '', forgiven))];
}

const standardFinalizers: ReadonlySet<string> = new Set(['orphan', 'foregroundDeletion', 'kubernetes']);

function finalizerWarnings(object: KubeObject, old: KubeObject | undefined): string[] {
  const before = new Set(old?.metadata.finalizers ?? []);
  const added = [...new Set(object.metadata.finalizers ?? [])].filter((f) => !before.has(f)).sort();
  return added.flatMap((name) => {
    const warn = (text: string) => `metadata.finalizers: ${goQuote(name)}: ${text}`;
    const warnings = isQualifiedName(name).map(warn);
    if (name.includes('/') || standardFinalizers.has(name)) return warnings;
    const domain = name.includes('.') ? ' including a path (/)' : '';
    return [
      ...warnings,
      warn(
        `prefer a domain-qualified finalizer name${domain} to avoid accidental conflicts with other finalizer writers`,
      ),
    ];
  });
}
