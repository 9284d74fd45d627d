import {
  field,
  newInvalid,
  parseFieldSelector,
  parseLabelSelector,
  newBadRequest,
  SelectorError,
  validateFieldManager,
  type FieldError,
} from '@apichain/meta';
import { validateDeleteOptions, validateDryRun } from '../registry/deletion.ts';
import type { ListOptions, WriteOptions } from '../registry/rest.ts';
import type { GracefulDeleteOptions } from '../registry/strategy.ts';
import { noQuery, type Query } from '@apichain/request';

const metaGroup = 'meta.k8s.io';

function throwIfInvalid(kind: string, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw newInvalid({ group: metaGroup, kind }, '', errors);
}

const validations = ['', 'Ignore', 'Strict', 'Warn'];

function validateFieldValidation(value: string): FieldError[] {
  return validations.includes(value) ? [] : [field.notSupported('fieldValidation', value, validations)];
}

/** The field validation of a request; Warn by default. */
function fieldValidationOf(query: Query): WriteOptions['fieldValidation'] {
  const value = query.text('fieldValidation');
  return value === 'Strict' || value === 'Ignore' ? value : 'Warn';
}

function writeOptions(query: Query): WriteOptions {
  return {
    dryRun: (query.all('dryRun')?.length ?? 0) > 0,
    fieldManager: query.text('fieldManager'),
    fieldValidation: fieldValidationOf(query),
    statedFieldValidation: query.text('fieldValidation'),
  };
}

/** Options of create and update. Throws Invalid. Source: ValidateCreateOptions of apimachinery meta/v1/validation. */
export function readWriteOptions(query: Query, kind: 'CreateOptions' | 'UpdateOptions'): WriteOptions {
  throwIfInvalid(kind, [
    ...validateFieldManager(query.text('fieldManager'), 'fieldManager'),
    ...validateDryRun(query.all('dryRun')),
    ...validateFieldValidation(query.text('fieldValidation')),
  ]);
  return writeOptions(query);
}

export interface PatchOptions extends WriteOptions {
  readonly force: boolean;
}

/** Options of patch. Throws Invalid. */
export function readPatchOptions(query: Query, apply: boolean): PatchOptions {
  const errors: FieldError[] = [];
  const manager = query.text('fieldManager');
  if (apply) {
    if (manager === '') errors.push(field.required('fieldManager', 'is required for apply patch'));
  } else if (query.has('force')) {
    errors.push(field.forbidden('force', 'may not be specified for non-apply patch'));
  }
  errors.push(
    ...validateFieldManager(manager, 'fieldManager'),
    ...validateDryRun(query.all('dryRun')),
    ...validateFieldValidation(query.text('fieldValidation')),
  );
  throwIfInvalid('PatchOptions', errors);
  return { ...writeOptions(query), force: query.boolean('force') ?? false };
}

/** DeleteOptions of the query, for a delete without a body. Throws BadRequest. */
export function readDeleteOptions(query: Query): GracefulDeleteOptions {
  const gracePeriodSeconds = query.integer('gracePeriodSeconds');
  const orphanDependents = query.boolean('orphanDependents');
  const policy = query.all('propagationPolicy')?.[0];
  const dryRun = query.all('dryRun');
  return {
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(orphanDependents === undefined ? {} : { orphanDependents }),
    // Any value is read here; validation checks it.
    ...(policy === undefined
      ? {}
      : { propagationPolicy: policy as NonNullable<GracefulDeleteOptions['propagationPolicy']> }),
    ...(dryRun === undefined ? {} : { dryRun: [...dryRun] }),
    ...preconditionsOf(query),
  };
}

/** Preconditions of the query; an empty value means none. Source: Convert_url_Values_To_v1_DeleteOptions of apimachinery. */
function preconditionsOf(query: Query): Pick<GracefulDeleteOptions, 'preconditions'> {
  const uid = query.text('uid');
  const resourceVersion = query.text('resourceVersion');
  if (uid === '' && resourceVersion === '') return {};
  return { preconditions: { ...(uid === '' ? {} : { uid }), ...(resourceVersion === '' ? {} : { resourceVersion }) } };
}

export function checkDeleteOptions(options: GracefulDeleteOptions): void {
  throwIfInvalid('DeleteOptions', validateDeleteOptions(options));
}

function readSelectors(query: Query): { labelSelector: string; fieldSelector: string } {
  const labelSelector = query.text('labelSelector');
  const fieldSelector = query.text('fieldSelector');
  try {
    if (labelSelector !== '') parseLabelSelector(labelSelector);
    if (fieldSelector !== '') parseFieldSelector(fieldSelector);
  } catch (error) {
    if (error instanceof SelectorError) throw newBadRequest(error.message);
    throw error;
  }
  return { labelSelector, fieldSelector };
}

const notOlderThan = 'NotOlderThan';
const matchPath = 'resourceVersionMatch';

function validateList(options: ListOptions): FieldError[] {
  const errors: FieldError[] = [];
  const match = options.resourceVersionMatch;
  if (match !== '') {
    if (options.resourceVersion === '') {
      errors.push(field.forbidden(matchPath, 'resourceVersionMatch is forbidden unless resourceVersion is provided'));
    }
    if (options.continue !== '') {
      errors.push(field.forbidden(matchPath, 'resourceVersionMatch is forbidden when continue is provided'));
    }
    if (match !== 'Exact' && match !== notOlderThan) {
      errors.push(field.notSupported(matchPath, match, ['Exact', notOlderThan, '']));
    }
    if (match === 'Exact' && options.resourceVersion === '0') {
      errors.push(field.forbidden(matchPath, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
    }
  }
  if (options.sendInitialEvents !== undefined) {
    errors.push(field.forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  }
  return errors;
}

function validateWatch(options: ListOptions): FieldError[] {
  const errors: FieldError[] = [];
  const match = options.resourceVersionMatch;
  if (options.sendInitialEvents !== undefined && match !== notOlderThan) {
    errors.push(
      field.forbidden(matchPath, `sendInitialEvents requires setting resourceVersionMatch to ${notOlderThan}`),
    );
  }
  if (match !== '') {
    if (options.sendInitialEvents === undefined) {
      errors.push(
        field.forbidden(matchPath, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'),
      );
    }
    if (match !== notOlderThan) errors.push(field.notSupported(matchPath, match, [notOlderThan]));
    if (options.continue !== '') {
      errors.push(field.forbidden(matchPath, 'resourceVersionMatch is forbidden when continue is provided'));
    }
  }
  return errors;
}

/** A watch without a resourceVersion gets its initial state as events, followed by a bookmark. */
function withWatchListDefaults(options: ListOptions): ListOptions {
  if (options.sendInitialEvents !== undefined || options.resourceVersionMatch !== '') return options;
  if (options.resourceVersion !== '' && options.resourceVersion !== '0') return options;
  return { ...options, sendInitialEvents: true, resourceVersionMatch: notOlderThan };
}

/**
 * Options of list, watch and deletecollection; `watch` = the parameter of that name. Throws BadRequest and Invalid.
 * Source: SetListOptionsDefaults and ValidateListOptions of apimachinery meta/internalversion.
 */
export function readListOptions(query: Query): { options: ListOptions; watch: boolean } {
  const watch = query.boolean('watch') ?? false;
  const timeoutSeconds = query.integer('timeoutSeconds');
  const limit = query.integer('limit') ?? 0;
  const sendInitialEvents = query.boolean('sendInitialEvents');
  const given: ListOptions = {
    ...readSelectors(query),
    resourceVersion: query.text('resourceVersion'),
    resourceVersionMatch: query.text('resourceVersionMatch'),
    limit,
    continue: query.text('continue'),
    ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
    allowWatchBookmarks: query.boolean('allowWatchBookmarks') ?? false,
    ...(sendInitialEvents === undefined ? {} : { sendInitialEvents }),
  };
  const options = watch ? withWatchListDefaults(given) : given;
  throwIfInvalid('ListOptions', watch ? validateWatch(options) : validateList(options));
  return { options, watch };
}

/** The options of a list without parameters. */
export const defaultListOptions = readListOptions(noQuery).options;
