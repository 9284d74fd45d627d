import { deepEqual, field, isDNS1035Label, isDNS1123Subdomain, type FieldError } from '@apichain/meta';
import { wasEmpty } from '@apichain/scheme';
import { sortKeys } from '../sort-keys.ts';
import { someSchema, type JsonSchemaProps } from '../json-schema-props.ts';
import type { ObjectMetaRules } from '../object-meta.ts';
import type { RuleEvaluator } from '../rules.ts';
import { UnsupportedKeywords, validateStructural } from '../structural.ts';
import { apiApprovedAnnotation, approvalState, isProtectedGroup } from './api-approval.ts';
import { validateConversion } from './conversion-validation.ts';
import {
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
import { validateSchemaKeywords } from './schema-validation.ts';
import { findStrictness, strict, type Strictness } from './strictness.ts';
import {
  validateDeprecationWarning,
  validateSubresources,
  validateColumns,
  validateSelectableFields,
} from './version-validation.ts';

/** The functions of other libraries that the validation of a CRD uses. */
export interface CrdValidationContext {
  readonly metadata: ObjectMetaRules;
  readonly rules?: RuleEvaluator;
}

/**
 * The errors of a new CustomResourceDefinition, except those of its metadata. Defaults must have been applied. Order and
 * messages are those of k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation.
 */
export function validateCrd(crd: CustomResourceDefinition, context: CrdValidationContext): FieldError[] {
  const errors: FieldError[] = [];
  validateSpec(errors, crd.spec ?? {}, strict, context);
  validateNames(errors, crd.status?.acceptedNames, 'status.acceptedNames');
  storedVersionErrors(errors, crd);
  errors.push(...approvalErrors(crd, undefined), ...preserveErrors(crd, undefined));
  return errors;
}

/** The errors of an updated CustomResourceDefinition, except those of its metadata. */
export function validateCrdUpdate(
  crd: CustomResourceDefinition,
  old: CustomResourceDefinition,
  context: CrdValidationContext,
): FieldError[] {
  const errors: FieldError[] = [];
  const strictness = findStrictness(crd, old);
  validateSpec(errors, crd.spec ?? {}, strictness, context);
  errors.push(...immutableErrors(crd.spec, old.spec, strictness));
  validateNames(errors, crd.status?.acceptedNames, 'status.acceptedNames');
  storedVersionErrors(errors, crd);
  errors.push(...approvalErrors(crd, old), ...preserveErrors(crd, old));
  return errors;
}

/** The errors of a status update, except those of the metadata. */
export function validateCrdStatusUpdate(crd: CustomResourceDefinition): FieldError[] {
  const errors: FieldError[] = [];
  validateNames(errors, crd.status?.acceptedNames, 'status.acceptedNames');
  return errors;
}

/** Why the schemas of a stored CRD are not structural, or why one of them cannot be read as a structural schema. */
export type NonStructural =
  | { readonly errors: readonly FieldError[] }
  | { readonly version: string; readonly reason: string };

/** The violations for the NonStructuralSchema condition, under the version that has the schema. */
export function findNonStructural(crd: CustomResourceDefinition): NonStructural {
  const keywords = new UnsupportedKeywords();
  let errors: FieldError[] = [];
  if (crd.spec.preserveUnknownFields) errors.push(field.invalid('spec.preserveUnknownFields', true, 'must be false'));
  for (const [i, { name, schema }] of crd.spec.versions.entries()) {
    if (!schema?.openAPIV3Schema) continue;
    const reason = keywords.find(schema.openAPIV3Schema);
    if (reason !== undefined) return { version: name, reason };
    const path = `spec.versions[${i}].schema.openAPIV3Schema`;
    errors = errors.concat(validateStructural(schema.openAPIV3Schema, path));
  }
  return { errors };
}

function validateSpec(
  errors: FieldError[],
  given: Partial<CrdSpec>,
  strictness: Strictness,
  context: CrdValidationContext,
): void {
  const spec = hoistSpec(given);
  errors.push(...groupErrors(given.group ?? ''), ...scopeErrors(given.scope ?? ''));
  if (strictness.requireOpenApiSchema && !spec.validation?.openAPIV3Schema)
    for (const [i, v] of spec.versions.entries())
      if (!v.schema?.openAPIV3Schema) errors.push(field.required(`spec.versions[${i}].schema.openAPIV3Schema`));
  if (given.preserveUnknownFields === true && findDefaults(spec))
    errors.push(
      field.invalid('spec.preserveUnknownFields', true, 'must be false in order to use defaults in the schema'),
    );
  const withOwnSubresources = spec.versions.some((v) => v.subresources);
  for (const [i, v] of spec.versions.entries()) {
    const path = field.index('spec.versions', i);
    const problems = isDNS1035Label(v.name ?? '');
    if (problems.length > 0) errors.push(field.invalid(field.child(path, 'name'), v.name ?? '', problems.join(',')));
    const subresources = withOwnSubresources ? v.subresources : spec.subresources;
    versionErrors(errors, v, path, hasStatus(subresources), strictness, context);
  }
  errors.push(...versionListErrors(given.versions, spec.versions));
  if (spec.version !== '') {
    const problems = isDNS1035Label(spec.version);
    if (problems.length > 0) errors.push(field.invalid('spec.version', spec.version, problems.join(',')));
  }
  for (const name of ['plural', 'singular', 'kind', 'listKind'] as const)
    if (!given.names?.[name]) errors.push(field.required(`spec.names.${name}`));
  validateNames(errors, given.names, 'spec.names');
  const anyStatus = hasStatus(spec.subresources) || spec.versions.some((v) => hasStatus(v.subresources));
  schemaErrors(errors, spec.validation, 'spec.validation', anyStatus, spec.version, strictness, context);
  errors.push(...validateSubresources(spec.subresources, 'spec.subresources'));
  validateColumns(errors, spec.additionalPrinterColumns, 'spec.additionalPrinterColumns');
  if (spec.selectableFields && spec.selectableFields.length > 0)
    topSelectableErrors(errors, spec.selectableFields, spec.validation, strictness);
  const preserving = given.preserveUnknownFields === true;
  if (given.conversion && given.conversion.strategy !== 'None' && preserving)
    errors.push(
      field.invalid(
        'spec.conversion.strategy',
        given.conversion.strategy,
        'must be None if spec.preserveUnknownFields is true',
      ),
    );
  validateConversion(errors, given.conversion, 'spec.conversion', strictness);
}

function findDefaults(spec: HoistedSpec): boolean {
  for (const validation of [spec.validation, ...spec.versions.map((v) => v.schema)])
    if (someSchema(validation?.openAPIV3Schema, (s) => s.default !== undefined && s.default !== null)) return true;
  return false;
}

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
  errors: FieldError[],
  version: CrdVersion,
  path: string,
  statusEnabled: boolean,
  strictness: Strictness,
  context: CrdValidationContext,
): void {
  errors.push(...validateDeprecationWarning(version, path));
  const { name, schema: validation } = version;
  schemaErrors(errors, validation, field.child(path, 'schema'), statusEnabled, name, strictness, context);
  errors.push(...validateSubresources(version.subresources, field.child(path, 'subresources')));
  validateColumns(errors, version.additionalPrinterColumns, field.child(path, 'additionalPrinterColumns'));
  if (!version.selectableFields || version.selectableFields.length === 0) return;
  const at = field.child(path, 'selectableFields');
  const schema = validation?.openAPIV3Schema;
  if (!schema) {
    errors.push(field.invalid(at, '', 'may only be set when `version.schema.openAPIV3Schema` is not included'));
    return;
  }
  const tooMany = strictness.tooManySelectableFieldsIn.has(name);
  validateSelectableFields(errors, version.selectableFields, schema, at, tooMany);
}

function topSelectableErrors(
  errors: FieldError[],
  fields: readonly { jsonPath?: string }[],
  validation: CrdValidation | undefined,
  strictness: Strictness,
): void {
  const path = 'spec.selectableFields';
  if (!validation) {
    errors.push(field.invalid(path, '', 'may only be set when validations.schema is included'));
    return;
  }
  const tooMany = strictness.tooManySelectableFieldsIn.has('');
  validateSelectableFields(errors, fields, validation.openAPIV3Schema ?? {}, path, tooMany);
}

function schemaErrors(
  out: FieldError[],
  validation: CrdValidation | undefined,
  path: string,
  statusEnabled: boolean,
  versionName: string,
  strictness: Strictness,
  context: CrdValidationContext,
): void {
  const schema = validation?.openAPIV3Schema;
  if (!schema) return;
  const at = field.child(path, 'openAPIV3Schema');
  const before = out.length;
  if (statusEnabled) out.push(...rootErrors(schema, path));
  if (schema.nullable) out.push(field.forbidden(`${at}.nullable`, 'nullable cannot be true at the root'));
  const keywords = new UnsupportedKeywords();
  const unsupported = strictness.requireStructuralSchema ? keywords.find(schema) : undefined;
  const structural =
    strictness.requireStructuralSchema && unsupported === undefined
      ? structuralErrors(schema, at, strictness, context)
      : [];
  const refused = new Set<string>();
  addAll(out, structural);
  addAll(out, validateSchemaKeywords(schema, at, { ...strictness, refused }));
  if (out.length === before && unsupported !== undefined) out.push(field.invalid(at, '', unsupported));
  if (strictness.requireStructuralSchema && unsupported === undefined && structural.length === 0 && context.rules) {
    addAll(out, context.rules.check(schema, at, strictness.oldSchemas.get(versionName), refused));
  }
}

/** `push` with a hundred thousand arguments would overflow the call stack. */
function addAll(errors: FieldError[], found: readonly FieldError[]): void {
  for (const error of found) {
    errors.push(error);
  }
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
    rules: context.rules,
  });
}

const allowedAtRoot = [
  ...['Description', 'Type', 'Format', 'Title', 'Maximum', 'ExclusiveMaximum', 'Minimum', 'ExclusiveMinimum'],
  ...['MaxLength', 'MinLength', 'Pattern', 'MaxItems', 'MinItems', 'UniqueItems', 'MultipleOf', 'Required', 'Items'],
  ...['Properties', 'ExternalDocs', 'Example', 'XPreserveUnknownFields', 'XValidations'],
];

/** With the status subresource, status is validated by its own part of the schema, so few other keywords are allowed at the root. */
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

function storedVersionErrors(errors: FieldError[], crd: CustomResourceDefinition): void {
  const path = 'status.storedVersions';
  const stored = crd.status?.storedVersions ?? [];
  if (stored.length === 0) {
    errors.push(field.invalid(path, crd.status?.storedVersions ?? null, 'must have at least one stored version'));
    return;
  }
  const versions = crd.spec?.versions ?? [];
  const names = new Set(versions.map((v) => v.name));
  // A stored name counts for one version. A second version of the same name is reported as missing, even if it is the storage version.
  const left = new Set(stored);
  for (const v of versions)
    if (!left.delete(v.name) && v.storage)
      errors.push(field.invalid(path, stored, `must have the storage version ${v.name}`));
  for (const [i, name] of stored.entries()) {
    if (!names.has(name)) errors.push(field.invalid(field.index(path, i), name, missing(name)));
  }
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
