import { deepEqual, field, isDNS1035Label, isDNS1123Subdomain, type FieldError } from '@apichain/meta';
import { wasEmpty } from '@apichain/scheme';
import { sortKeys } from '../sort-keys.ts';
import { someSchema, type JsonSchemaProps } from '../json-schema-props.ts';
import type { ObjectMetaRules } from '../object-meta.ts';
import type { RuleEvaluator } from '../rules.ts';
import { unsupportedKeyword, validateStructural } from '../structural.ts';
import { apiApprovedAnnotation, approvalState, isProtectedGroup } from './api-approval.ts';
import { caBundleProblem, hasRecognizedReviewVersion, validateConversion } from './conversion-validation.ts';
import {
  isConditionTrue,
  type CrdSpec,
  type CrdSubresources,
  type CrdValidation,
  type CrdVersion,
  type CustomResourceDefinition,
} from './crd-types.ts';
import { validateDefaults } from './defaults-validation.ts';
import { hoistSpec, type HoistedSpec } from './hoisted-spec.ts';
import { printSchema, printVersions, schemaFields } from './internal-form.ts';
import { validateNames } from './names-validation.ts';
import { listKeyErrors, nonAtomicSetErrors, validateSchemaKeywords } from './schema-validation.ts';
import {
  validateColumns,
  validateDeprecationWarning,
  validateSelectableFields,
  validateSubresources,
} from './version-validation.ts';

/** What validation of a CRD asks of other libraries. */
export interface CrdValidationContext {
  readonly metadata: ObjectMetaRules;
  readonly rules?: RuleEvaluator;
}

/** Rules that hold for what is new; an update is not refused for a violation that was stored before. */
interface Strictness {
  readonly requireRecognizedReviewVersion: boolean;
  readonly requireImmutableNames: boolean;
  readonly requireOpenApiSchema: boolean;
  readonly requireValidPropertyType: boolean;
  readonly requireStructuralSchema: boolean;
  readonly requirePrunedDefaults: boolean;
  readonly requireAtomicSetType: boolean;
  readonly requireMapListKeys: boolean;
  readonly allowInvalidCaBundle: boolean;
  readonly tooManySelectableFieldsIn: ReadonlySet<string>;
  readonly old?: CustomResourceDefinition;
}

const strict: Strictness = {
  requireRecognizedReviewVersion: true,
  requireImmutableNames: false,
  requireOpenApiSchema: true,
  requireValidPropertyType: true,
  requireStructuralSchema: true,
  requirePrunedDefaults: true,
  requireAtomicSetType: true,
  requireMapListKeys: true,
  allowInvalidCaBundle: true,
  tooManySelectableFieldsIn: new Set(),
};

/**
 * The errors of a new CustomResourceDefinition, metadata apart; defaults have been applied before. Order and wording as in
 * k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation.
 */
export function validateCrd(crd: CustomResourceDefinition, context: CrdValidationContext): FieldError[] {
  return [
    ...validateSpec(crd.spec ?? {}, strict, context),
    ...validateNames(crd.status?.acceptedNames, 'status.acceptedNames'),
    ...storedVersionErrors(crd),
    ...approvalErrors(crd, undefined),
    ...preserveErrors(crd, undefined),
  ];
}

/** The errors of a changed CustomResourceDefinition, metadata apart. */
export function validateCrdUpdate(
  crd: CustomResourceDefinition,
  old: CustomResourceDefinition,
  context: CrdValidationContext,
): FieldError[] {
  const strictness = strictnessOfUpdate(crd, old);
  return [
    ...validateSpec(crd.spec ?? {}, strictness, context),
    ...immutableErrors(crd.spec, old.spec, strictness),
    ...validateNames(crd.status?.acceptedNames, 'status.acceptedNames'),
    ...storedVersionErrors(crd),
    ...approvalErrors(crd, old),
    ...preserveErrors(crd, old),
  ];
}

/** The errors of a status update, metadata apart. */
export const validateCrdStatusUpdate = (crd: CustomResourceDefinition): FieldError[] =>
  validateNames(crd.status?.acceptedNames, 'status.acceptedNames');

/** Why a schema that is stored is not structural; the NonStructuralSchema condition lists them. */
export function nonStructuralViolations(crd: CustomResourceDefinition): FieldError[] | Error {
  const spec = hoistSpec(crd.spec ?? {});
  const named: [JsonSchemaProps | undefined, string][] = [
    [spec.validation?.openAPIV3Schema, 'spec.validation.openAPIV3Schema'],
    ...spec.versions.map((v, i): [JsonSchemaProps | undefined, string] => [
      v.schema?.openAPIV3Schema,
      `spec.versions[${i}].schema.openAPIV3Schema`,
    ]),
  ];
  const errors: FieldError[] = [];
  for (const [schema, path] of named) {
    if (!schema) continue;
    const unsupported = unsupportedKeyword(schema);
    if (unsupported !== undefined) return new Error(unsupported);
    errors.push(...validateStructural(schema, path));
  }
  return errors;
}

function strictnessOfUpdate(crd: CustomResourceDefinition, old: CustomResourceDefinition): Strictness {
  const schemas = (old.spec?.versions ?? []).map((v) => v.schema?.openAPIV3Schema);
  const none = (predicate: (s: JsonSchemaProps) => boolean) => !schemas.some((s) => someSchema(s, predicate));
  const established = isConditionTrue(old, 'Established');
  const oldBundle = old.spec?.conversion?.webhook?.clientConfig?.caBundle;
  return {
    ...strict,
    requireRecognizedReviewVersion: hasRecognizedReviewVersion(
      old.spec?.conversion?.webhook?.conversionReviewVersions ?? [],
    ),
    requireImmutableNames: established,
    requireOpenApiSchema: schemas.every((s) => s !== undefined && s !== null),
    requireValidPropertyType: none((s) => !!s.type && !openApiTypes.has(s.type)),
    requireStructuralSchema: schemas.every((s) => !s || isStructural(s)),
    requirePrunedDefaults: true,
    requireAtomicSetType: none((s) => nonAtomicSetErrors(s, '').length > 0),
    requireMapListKeys: none((s) => listKeyErrors(s, '').length > 0),
    allowInvalidCaBundle: !established || (!!oldBundle && caBundleProblem(oldBundle) !== undefined),
    tooManySelectableFieldsIn: unchangedSelectableFields(crd.spec, old.spec),
    old,
  };
}

const openApiTypes: ReadonlySet<string> = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object']);
const isStructural = (schema: JsonSchemaProps) =>
  unsupportedKeyword(schema) === undefined && validateStructural(schema, '').length === 0;

function unchangedSelectableFields(spec: CrdSpec | undefined, old: CrdSpec | undefined): Set<string> {
  const names = (spec?.versions ?? [])
    .filter((v) => {
      const before = old?.versions?.find((o) => o.name === v.name)?.selectableFields;
      return before !== undefined && before.length > 8 && deepEqual(before, v.selectableFields);
    })
    .map((v) => v.name);
  return new Set(names.length === (spec?.versions ?? []).length ? [...names, ''] : names);
}

function validateSpec(given: Partial<CrdSpec>, strictness: Strictness, context: CrdValidationContext): FieldError[] {
  const spec = hoistSpec(given);
  const errors: FieldError[] = [...groupErrors(given.group ?? ''), ...scopeErrors(given.scope ?? '')];
  if (strictness.requireOpenApiSchema && !spec.validation?.openAPIV3Schema)
    for (const [i, v] of spec.versions.entries())
      if (!v.schema?.openAPIV3Schema) errors.push(field.required(`spec.versions[${i}].schema.openAPIV3Schema`));
  if (given.preserveUnknownFields === true && hasDefaultsInSchema(spec))
    errors.push(
      field.invalid('spec.preserveUnknownFields', true, 'must be false in order to use defaults in the schema'),
    );
  for (const [i, v] of spec.versions.entries()) {
    const path = field.index('spec.versions', i);
    const problems = isDNS1035Label(v.name ?? '');
    if (problems.length > 0) errors.push(field.invalid(field.child(path, 'name'), v.name ?? '', problems.join(',')));
    const subresources = spec.versions.some((x) => x.subresources) ? v.subresources : spec.subresources;
    errors.push(...versionErrors(v, path, hasStatus(subresources), strictness, context));
  }
  errors.push(...versionListErrors(given.versions, spec.versions));
  if (spec.version !== '') {
    const problems = isDNS1035Label(spec.version);
    if (problems.length > 0) errors.push(field.invalid('spec.version', spec.version, problems.join(',')));
  }
  for (const name of ['plural', 'singular', 'kind', 'listKind'] as const)
    if (!given.names?.[name]) errors.push(field.required(`spec.names.${name}`));
  errors.push(...validateNames(given.names, 'spec.names'));
  const anyStatus = hasStatus(spec.subresources) || spec.versions.some((v) => hasStatus(v.subresources));
  errors.push(...schemaErrors(spec.validation, 'spec.validation', anyStatus, spec.version, strictness, context));
  errors.push(...validateSubresources(spec.subresources, 'spec.subresources'));
  errors.push(...validateColumns(spec.additionalPrinterColumns, 'spec.additionalPrinterColumns'));
  if (spec.selectableFields && spec.selectableFields.length > 0)
    errors.push(...topSelectableErrors(spec.selectableFields, spec.validation, strictness));
  const preserving = given.preserveUnknownFields === true;
  if (given.conversion && given.conversion.strategy !== 'None' && preserving)
    errors.push(
      field.invalid(
        'spec.conversion.strategy',
        given.conversion.strategy,
        'must be None if spec.preserveUnknownFields is true',
      ),
    );
  errors.push(...validateConversion(given.conversion, 'spec.conversion', strictness));
  return errors;
}

const hasDefaultsInSchema = (spec: HoistedSpec): boolean =>
  [spec.validation, ...spec.versions.map((v) => v.schema)].some((v) =>
    someSchema(v?.openAPIV3Schema, (s) => s.default !== undefined && s.default !== null),
  );

const hasStatus = (subresources: CrdSubresources | undefined): boolean =>
  subresources?.status !== undefined && subresources.status !== null;

function groupErrors(group: string): FieldError[] {
  if (group === '') return [field.required('spec.group')];
  const problems = isDNS1123Subdomain(group);
  if (problems.length > 0) return [field.invalid('spec.group', group, problems.join(','))];
  return group.includes('.') ? [] : [field.invalid('spec.group', group, 'should be a domain with at least one dot')];
}

function scopeErrors(scope: string): FieldError[] {
  if (scope === '') return [field.required('spec.scope')];
  return scope === 'Cluster' || scope === 'Namespaced'
    ? []
    : [field.notSupported('spec.scope', scope, ['Cluster', 'Namespaced'])];
}

function versionListErrors(given: readonly CrdVersion[] | undefined, versions: readonly CrdVersion[]): FieldError[] {
  const printed = () => printVersions(given === undefined || given === null ? null : versions);
  const names = versions.map((v) => v.name);
  const errors: FieldError[] = [];
  if (new Set(names).size < names.length)
    errors.push(field.invalid('spec.versions', printed(), 'must contain unique version names'));
  if (versions.filter((v) => v.storage).length !== 1)
    errors.push(field.invalid('spec.versions', printed(), 'must have exactly one version marked as storage version'));
  return errors;
}

function versionErrors(
  version: CrdVersion,
  path: string,
  statusEnabled: boolean,
  strictness: Strictness,
  context: CrdValidationContext,
): FieldError[] {
  const errors = [
    ...validateDeprecationWarning(version, path),
    ...schemaErrors(version.schema, field.child(path, 'schema'), statusEnabled, version.name, strictness, context),
    ...validateSubresources(version.subresources, field.child(path, 'subresources')),
    ...validateColumns(version.additionalPrinterColumns, field.child(path, 'additionalPrinterColumns')),
  ];
  if (!version.selectableFields || version.selectableFields.length === 0) return errors;
  const at = field.child(path, 'selectableFields');
  const schema = version.schema?.openAPIV3Schema;
  if (!schema)
    return [...errors, field.invalid(at, '', 'may only be set when `version.schema.openAPIV3Schema` is not included')];
  const tooMany = strictness.tooManySelectableFieldsIn.has(version.name);
  return [...errors, ...validateSelectableFields(version.selectableFields, schema, at, tooMany)];
}

function topSelectableErrors(
  fields: readonly { jsonPath?: string }[],
  validation: CrdValidation | undefined,
  strictness: Strictness,
): FieldError[] {
  if (!validation)
    return [field.invalid('spec.selectableFields', '', 'may only be set when validations.schema is included')];
  const tooMany = strictness.tooManySelectableFieldsIn.has('');
  return validateSelectableFields(fields, validation.openAPIV3Schema ?? {}, 'spec.selectableFields', tooMany);
}

function schemaErrors(
  validation: CrdValidation | undefined,
  path: string,
  statusEnabled: boolean,
  versionName: string,
  strictness: Strictness,
  context: CrdValidationContext,
): FieldError[] {
  const schema = validation?.openAPIV3Schema;
  if (!schema) return [];
  const at = field.child(path, 'openAPIV3Schema');
  const errors = statusEnabled ? rootErrors(schema, path) : [];
  if (schema.nullable) errors.push(field.forbidden(`${at}.nullable`, 'nullable cannot be true at the root'));
  const unsupported = strictness.requireStructuralSchema ? unsupportedKeyword(schema) : undefined;
  const structural =
    strictness.requireStructuralSchema && unsupported === undefined
      ? structuralErrors(schema, at, strictness, context)
      : [];
  const refused = new Set<string>();
  errors.push(...structural, ...validateSchemaKeywords(schema, at, { ...strictness, refused }));
  if (errors.length === 0 && unsupported !== undefined) errors.push(field.invalid(at, '', unsupported));
  if (strictness.requireStructuralSchema && unsupported === undefined && structural.length === 0 && context.rules) {
    errors.push(...context.rules.check(schema, at, oldSchema(strictness.old, versionName), refused));
  }
  return errors;
}

/** What the version said before; undefined when it is new. */
function oldSchema(old: CustomResourceDefinition | undefined, versionName: string): JsonSchemaProps | undefined {
  return old?.spec?.versions?.find((version) => version.name === versionName)?.schema?.openAPIV3Schema;
}

function structuralErrors(
  schema: JsonSchemaProps,
  path: string,
  strictness: Strictness,
  context: CrdValidationContext,
): FieldError[] {
  const errors = validateStructural(schema, path);
  if (errors.length > 0) return errors;
  return validateDefaults(schema, path, {
    metadata: context.metadata,
    requirePruned: strictness.requirePrunedDefaults,
    ...(context.rules === undefined ? {} : { rules: context.rules }),
  });
}

const allowedAtRoot = [
  ...['Description', 'Type', 'Format', 'Title', 'Maximum', 'ExclusiveMaximum', 'Minimum', 'ExclusiveMinimum'],
  ...['MaxLength', 'MinLength', 'Pattern', 'MaxItems', 'MinItems', 'UniqueItems', 'MultipleOf', 'Required', 'Items'],
  ...['Properties', 'ExternalDocs', 'Example', 'XPreserveUnknownFields', 'XValidations'],
];

/** With a status subresource the status is validated by its own part of the schema, so the root may say little else. */
function rootErrors(schema: JsonSchemaProps, path: string): FieldError[] {
  for (const [name, goName, absent] of schemaFields) {
    const value = schema[name];
    const isAbsent = value === undefined || value === null || value === absent;
    if (isAbsent && !wasEmpty(schema, name)) continue;
    if (goName === 'Type') {
      if (value === 'object') continue;
      const detail =
        'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
      return [field.invalid(`${path}.openAPIV3Schema.type`, value, detail)];
    }
    if (!allowedAtRoot.includes(goName))
      return [
        field.invalid(
          `${path}.openAPIV3Schema`,
          printSchema(schema),
          `only [${allowedAtRoot.join(' ')}] fields are allowed at the root of the schema if the status subresource is enabled`,
        ),
      ];
  }
  return [];
}

function immutableErrors(spec: CrdSpec, old: CrdSpec, strictness: Strictness): FieldError[] {
  const immutable = (path: string, value: unknown, before: unknown): FieldError[] =>
    deepEqual(value ?? '', before ?? '') ? [] : [field.invalid(path, sortKeys(value ?? ''), 'field is immutable')];
  return [
    ...(strictness.requireImmutableNames
      ? [
          ...immutable('spec.scope', spec?.scope, old?.scope),
          ...immutable('spec.names.kind', spec?.names?.kind, old?.names?.kind),
        ]
      : []),
    ...immutable('spec.group', spec?.group, old?.group),
    ...immutable('spec.names.plural', spec?.names?.plural, old?.names?.plural),
  ];
}

function storedVersionErrors(crd: CustomResourceDefinition): FieldError[] {
  const path = 'status.storedVersions';
  const stored = crd.status?.storedVersions ?? [];
  if (stored.length === 0)
    return [field.invalid(path, crd.status?.storedVersions ?? null, 'must have at least one stored version')];
  const versions = crd.spec?.versions ?? [];
  // A name counts for one version: the second of its name is missing, even if it is stored.
  const left = new Set(stored);
  const errors = versions
    .filter((v) => !left.delete(v.name) && v.storage)
    .map((v) => field.invalid(path, stored, `must have the storage version ${v.name}`));
  for (const [i, name] of stored.entries())
    if (!versions.some((v) => v.name === name)) errors.push(field.invalid(field.index(path, i), name, missing(name)));
  return errors;
}

const missing = (name: string) =>
  `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;

function approvalErrors(crd: CustomResourceDefinition, old: CustomResourceDefinition | undefined): FieldError[] {
  if (!isProtectedGroup(crd.spec?.group ?? '')) return [];
  const approval = approvalState(crd.metadata.annotations);
  if (old !== undefined && approvalState(old.metadata.annotations).state === approval.state) return [];
  const path = field.key('metadata.annotations', apiApprovedAnnotation);
  if (approval.state === 'missing') return [field.required(path, approval.reason)];
  if (approval.state === 'invalid')
    return [field.invalid(path, crd.metadata.annotations?.[apiApprovedAnnotation] ?? '', approval.reason)];
  return [];
}

function preserveErrors(crd: CustomResourceDefinition, old: CustomResourceDefinition | undefined): FieldError[] {
  if (old?.spec?.preserveUnknownFields === true || crd.spec?.preserveUnknownFields !== true) return [];
  return [
    field.invalid(
      'spec.preserveUnknownFields',
      true,
      'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
    ),
  ];
}
