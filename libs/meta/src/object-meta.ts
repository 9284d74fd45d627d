import { compareText } from './compare-text.ts';
import { deepEqual } from './deep.ts';
import * as field from './field-error.ts';
import type { FieldError } from './field-error.ts';
import { goQuote } from '@apichain/go-text';
import { byteLength, isQualifiedName, isValidLabelValue, nameIsDNSLabel, type NameValidator } from './names.ts';
import { sameInstant } from '@apichain/go-text';
import { randomBelow } from './random.ts';
import type { ManagedFieldsEntry, ObjectMeta, OwnerReference } from './types.ts';

/*
 * Checks of ObjectMeta, as in k8s.io/apimachinery/pkg/api/validation of 1.36. Maps are checked in the order of their keys; Go's order is
 * random.
 */
const totalAnnotationSizeLimit = 256 * 1024;
const fieldImmutableMessage = 'field is immutable';
const fieldManagerLimit = 128;
const subresourceLimit = 256;

type StringMap = Readonly<Record<string, string>>;
const sortedEntries = (map: StringMap | undefined | null) =>
  Object.entries(map ?? {}).sort(([a], [b]) => compareText(a, b));
const invalidEach = (path: string, value: unknown, messages: readonly string[]) =>
  messages.map((message) => field.invalid(path, value, message));

/** Checks a label key that is a value in the object. `path` is that of the map or field, not of the key. */
const validateLabelName = (name: string, path: string): FieldError[] => invalidEach(path, name, isQualifiedName(name));

/** Whether labels are valid. They almost always are, and this check is faster than collecting errors. */
function areLabels(labels: StringMap): boolean {
  for (const key in labels) {
    if (isQualifiedName(key).length > 0 || isValidLabelValue(labels[key] ?? '').length > 0) return false;
  }
  return true;
}

/** The errors of labels: keys that are not qualified names, values that are not label values. `path` is that of the map. */
export function validateLabels(labels: StringMap | undefined | null, path: string): FieldError[] {
  if (areLabels(labels ?? {})) return [];
  return field.collect((out) => {
    for (const [key, value] of sortedEntries(labels)) {
      out.push(...validateLabelName(key, path), ...invalidEach(path, value, isValidLabelValue(value)));
    }
  });
}

/** The errors of annotations: keys that are not qualified names, more than 256 KiB in total. `path` is that of the map. */
export function validateAnnotations(annotations: StringMap | undefined | null, path: string): FieldError[] {
  const given = annotations ?? {};
  let size = 0;
  let named = true;
  for (const key in given) {
    named &&= isQualifiedName(key.toLowerCase()).length === 0;
    size += byteLength(key) + byteLength(given[key] ?? '');
  }
  const errors = named
    ? []
    : field.collect((out) => {
        for (const [key] of sortedEntries(given)) {
          out.push(...invalidEach(path, key, isQualifiedName(key.toLowerCase())));
        }
      });
  if (size > totalAnnotationSizeLimit) errors.push(field.tooLong(path, totalAnnotationSizeLimit));
  return errors;
}

/** The members in the order in which Go writes them, so that messages show the reference as Kubernetes does. */
function ownerReferenceValue(reference: OwnerReference): Record<string, unknown> {
  const { apiVersion, kind, name, uid, controller, blockOwnerDeletion } = reference;
  return {
    apiVersion: apiVersion ?? '',
    kind: kind ?? '',
    name: name ?? '',
    uid: uid ?? '',
    ...(controller === undefined || controller === null ? {} : { controller }),
    ...(blockOwnerDeletion === undefined || blockOwnerDeletion === null ? {} : { blockOwnerDeletion }),
  };
}

function validateOwnerReference(reference: OwnerReference, path: string): FieldError[] {
  const errors: FieldError[] = [];
  // A text with more than one slash is not a group-version. It is treated as missing.
  const parts = (reference.apiVersion ?? '').split('/');
  const version = parts.length > 2 ? '' : (parts.at(-1) ?? '');
  if (version === '') {
    errors.push(
      field.invalid(field.child(path, 'apiVersion'), reference.apiVersion ?? '', 'version must not be empty'),
    );
  }
  for (const name of ['kind', 'name', 'uid'] as const) {
    if ((reference[name] ?? '') === '') {
      errors.push(field.invalid(field.child(path, name), '', 'must not be empty'));
    }
  }
  if (reference.apiVersion === 'v1' && reference.kind === 'Event') {
    errors.push(
      field.invalid(path, ownerReferenceValue(reference), '/v1, Kind=Event is disallowed from being an owner'),
    );
  }
  return errors;
}

function validateOwnerReferences(references: readonly OwnerReference[] | undefined | null, path: string): FieldError[] {
  if (references === undefined || references === null || references.length === 0) return [];
  return field.collect((out) => {
    let controller = '';
    let shown: readonly unknown[] | undefined;
    for (const reference of references) {
      out.push(...validateOwnerReference(reference, path));
      if (reference.controller !== true) continue;
      const name = `${reference.kind}/${reference.name}`;
      if (controller === '') {
        controller = name;
        continue;
      }
      shown ??= references.map(ownerReferenceValue);
      const detail = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${name}`;
      out.push(field.invalid(path, shown, detail));
    }
  });
}

function validateFinalizers(finalizers: readonly string[] | undefined | null, path: string): FieldError[] {
  const names = finalizers ?? [];
  return field.collect((out) => {
    for (const name of names) out.push(...validateLabelName(name, path));
    if (names.includes('orphan') && names.includes('foregroundDeletion')) {
      out.push(field.invalid(path, names, 'finalizer orphan and foregroundDeletion cannot be both set'));
    }
  });
}

const standardFinalizers: ReadonlySet<string> = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

/** The additional rule for kinds that core validation covers: a name without a slash must be one of the three standard finalizers. */
export function validateStandardFinalizers(
  finalizers: readonly string[] | undefined | null,
  path: string,
): FieldError[] {
  return field.collect((out) => {
    for (const [i, name] of (finalizers ?? []).entries()) {
      if (name.includes('/') || standardFinalizers.has(name)) continue;
      const detail = 'name is neither a standard finalizer name nor is it fully qualified';
      out.push(field.invalid(field.index(path, i), name, detail));
    }
  });
}

const nonPrintable = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;

/** The name of a field manager: at most 128 bytes of printable characters. */
export function validateFieldManager(manager: string | undefined, path: string): FieldError[] {
  const name = manager ?? '';
  return field.collect((out) => {
    if (byteLength(name) > fieldManagerLimit) out.push(field.tooLong(path, fieldManagerLimit));
    if (!nonPrintable.test(name)) return;
    let position = 0;
    for (const rune of name) {
      if (nonPrintable.test(rune)) {
        const code = (rune.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
        out.push(field.invalid(path, name, `invalid character U+${code} (at position ${position})`));
      }
      position += byteLength(rune);
    }
  });
}

function managedFieldsErrors(out: FieldError[], entry: ManagedFieldsEntry, at: string): void {
  if (entry.operation !== 'Apply' && entry.operation !== 'Update') {
    out.push(field.invalid(field.child(at, 'operation'), entry.operation ?? '', 'must be `Apply` or `Update`'));
  }
  if ((entry.fieldsType ?? '') !== '' && entry.fieldsType !== 'FieldsV1') {
    out.push(field.invalid(field.child(at, 'fieldsType'), entry.fieldsType, 'must be `FieldsV1`'));
  }
  out.push(...validateFieldManager(entry.manager, field.child(at, 'manager')));
  if (byteLength(entry.subresource ?? '') > subresourceLimit) {
    out.push(field.tooLong(field.child(at, 'subresource'), subresourceLimit));
  }
}

const validateManagedFields = (entries: readonly ManagedFieldsEntry[] | undefined | null, path: string): FieldError[] =>
  field.collect((out) => {
    for (const [i, entry] of (entries ?? []).entries()) managedFieldsErrors(out, entry, field.index(path, i));
  });

function validateNames(meta: ObjectMeta, validateName: NameValidator, path: string): FieldError[] {
  const { name = '', generateName = '' } = meta;
  const errors: FieldError[] = [];
  if (generateName !== '') {
    errors.push(...invalidEach(field.child(path, 'generateName'), generateName, validateName(generateName, true)));
  }
  if (name === '') errors.push(field.required(field.child(path, 'name'), 'name or generateName is required'));
  else errors.push(...invalidEach(field.child(path, 'name'), name, validateName(name, false)));
  return errors;
}

function validateNamespace(namespace: string, namespaced: boolean, path: string): FieldError[] {
  if (!namespaced) return namespace === '' ? [] : [field.forbidden(path, 'not allowed on this type')];
  if (namespace === '') return [field.required(path)];
  return invalidEach(path, namespace, nameIsDNSLabel(namespace, false));
}

/**
 * The rules for a new object's metadata. `validateName` is the kind's rule for names, `path` is usually `metadata`.
 * validateObjectMetaUpdate checks updates.
 */
export function validateObjectMeta(
  meta: ObjectMeta,
  namespaced: boolean,
  validateName: NameValidator,
  path: string,
): FieldError[] {
  const generation = meta.generation ?? 0;
  return [
    ...validateNames(meta, validateName, path),
    ...validateNamespace(meta.namespace ?? '', namespaced, field.child(path, 'namespace')),
    ...(generation < 0
      ? [field.invalid(field.child(path, 'generation'), generation, 'must be greater than or equal to 0')]
      : []),
    ...validateLabels(meta.labels, field.child(path, 'labels')),
    ...validateAnnotations(meta.annotations, field.child(path, 'annotations')),
    ...validateOwnerReferences(meta.ownerReferences, field.child(path, 'ownerReferences')),
    ...validateFinalizers(meta.finalizers, field.child(path, 'finalizers')),
    ...validateManagedFields(meta.managedFields, field.child(path, 'managedFields')),
  ];
}

/** The error `field is immutable` unless the two values are equal. */
const validateImmutableField = (newValue: unknown, oldValue: unknown, path: string): FieldError[] =>
  deepEqual(newValue ?? null, oldValue ?? null) ? [] : [field.invalid(path, newValue, fieldImmutableMessage)];

function validateNoNewFinalizers(meta: ObjectMeta, old: ObjectMeta, path: string): FieldError[] {
  const known = new Set(old.finalizers ?? []);
  const added = [...new Set(meta.finalizers ?? [])].filter((name) => !known.has(name)).sort();
  if (added.length === 0) return [];
  return [
    field.forbidden(
      path,
      `no new finalizers can be added if the object is being deleted, found new finalizers []string{${added.map(goQuote).join(', ')}}`,
    ),
  ];
}

function validateUnchanged(meta: ObjectMeta, old: ObjectMeta, path: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const name of ['name', 'namespace', 'uid'] as const) {
    errors.push(...validateImmutableField(meta[name] ?? '', old[name] ?? '', field.child(path, name)));
  }
  for (const name of ['creationTimestamp', 'deletionTimestamp'] as const) {
    if (!sameInstant(meta[name], old[name])) {
      errors.push(field.invalid(field.child(path, name), meta[name] ?? null, fieldImmutableMessage));
    }
  }
  const grace = 'deletionGracePeriodSeconds';
  return [...errors, ...validateImmutableField(meta[grace], old[grace], field.child(path, grace))];
}

/** The rules for changed metadata compared with the old. The rules of a new object are not repeated. */
export function validateObjectMetaUpdate(meta: ObjectMeta, old: ObjectMeta, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if ((old.deletionTimestamp ?? '') !== '') {
    errors.push(...validateNoNewFinalizers(meta, old, field.child(path, 'finalizers')));
  }
  if ((meta.resourceVersion ?? '') === '') {
    errors.push(field.invalid(field.child(path, 'resourceVersion'), '', 'must be specified for an update'));
  }
  const generation = meta.generation ?? 0;
  if (generation < (old.generation ?? 0)) {
    errors.push(field.invalid(field.child(path, 'generation'), generation, 'must not be decremented'));
  }
  return [
    ...errors,
    ...validateUnchanged(meta, old, path),
    ...validateLabels(meta.labels, field.child(path, 'labels')),
    ...validateAnnotations(meta.annotations, field.child(path, 'annotations')),
    ...validateOwnerReferences(meta.ownerReferences, field.child(path, 'ownerReferences')),
    ...validateManagedFields(meta.managedFields, field.child(path, 'managedFields')),
  ];
}

// No vowels and no look-alikes, so that suffixes do not form words.
const suffixAlphabet = 'bcdfghjklmnpqrstvwxz2456789';
const suffixLength = 5;
const generatedNameLimit = 63;

/** A name that starts with `base` (cut to 58 bytes) and ends with five random characters. Source: apiserver names.SimpleNameGenerator. */
export function generateName(base: string): string {
  let name = Buffer.from(base, 'utf8')
    .subarray(0, generatedNameLimit - suffixLength)
    .toString('utf8');
  for (let i = 0; i < suffixLength; i++) name += suffixAlphabet.charAt(randomBelow(suffixAlphabet.length));
  return name;
}
