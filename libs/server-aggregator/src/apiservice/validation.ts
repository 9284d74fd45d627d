import {
  type FieldError,
  field,
  isDNS1035Label,
  isDNS1123Subdomain,
  isValidPathSegmentName,
  isValidPortNum,
  type NameValidator,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from '@apichain/meta';
import type { ApiService } from './api-service.ts';

const maxGroupPriority = 20_000;
const maxVersionPriority = 1_000;

const nameOf =
  (required: string): NameValidator =>
  (name) => {
    const reasons = isValidPathSegmentName(name);
    if (reasons.length > 0 || name === required) return reasons;
    return [`must be \`spec.version+"."+spec.group\`: ${JSON.stringify(required)}`];
  };

/** Validates an APIService with the rules of kube-aggregator, in the same order and with the same messages. */
export function validateApiService(service: ApiService): FieldError[] {
  const { spec } = service;
  const group = spec.group ?? '';
  const version = spec.version ?? '';
  const errors: FieldError[] = [];

  errors.push(...validateObjectMeta(service.metadata, false, nameOf(`${version}.${group}`), 'metadata'));

  if (group === '') {
    if (version !== 'v1')
      errors.push(field.required('spec.group', 'only v1 may have an empty group and it better be legacy kube'));
  } else for (const message of isDNS1123Subdomain(group)) errors.push(field.invalid('spec.group', group, message));
  for (const message of isDNS1035Label(version)) errors.push(field.invalid('spec.version', version, message));

  if (spec.groupPriorityMinimum <= 0 || spec.groupPriorityMinimum > maxGroupPriority)
    errors.push(
      field.invalid('spec.groupPriorityMinimum', spec.groupPriorityMinimum, 'must be positive and less than 20000'),
    );
  if (spec.versionPriority <= 0 || spec.versionPriority > maxVersionPriority)
    errors.push(field.invalid('spec.versionPriority', spec.versionPriority, 'must be positive and less than 1000'));

  errors.push(...(spec.service === undefined ? validateLocal(service) : validateRemote(service)));
  return errors;
}

function validateLocal({ spec }: ApiService): FieldError[] {
  const errors: FieldError[] = [];
  const caBytes = Buffer.from(spec.caBundle ?? '', 'base64').length;
  if (caBytes > 0)
    errors.push(field.invalid('spec.caBundle', `${caBytes} bytes`, 'local APIServices may not have a caBundle'));
  if (spec.insecureSkipTLSVerify === true)
    errors.push(
      field.invalid('spec.insecureSkipTLSVerify', true, 'local APIServices may not have insecureSkipTLSVerify'),
    );
  return errors;
}

function validateRemote({ spec }: ApiService): FieldError[] {
  const errors: FieldError[] = [];
  const service = spec.service ?? {};
  if ((service.namespace ?? '') === '') errors.push(field.required('spec.service.namespace'));
  if ((service.name ?? '') === '') errors.push(field.required('spec.service.name'));
  const portErrors = isValidPortNum(service.port ?? 443);
  if (portErrors.length > 0)
    errors.push(field.invalid('spec.service.port', service.port, `port is not valid: ${portErrors.join(', ')}`));
  if (spec.insecureSkipTLSVerify === true && (spec.caBundle ?? '') !== '')
    errors.push(field.invalid('spec.insecureSkipTLSVerify', true, 'may not be true if caBundle is present'));
  return errors;
}

/** Validates an update: the immutable metadata, then the rules of a new object. */
export const validateApiServiceUpdate = (service: ApiService, old: ApiService): FieldError[] => [
  ...validateObjectMetaUpdate(service.metadata, old.metadata, 'metadata'),
  ...validateApiService(service),
];

const conditionStatuses = ['True', 'False', 'Unknown'];

export function validateApiServiceStatus(status: ApiService['status']): FieldError[] {
  return (status?.conditions ?? [])
    .map((condition, i) => ({ condition, path: `status.conditions[${i}].status` }))
    .filter(({ condition }) => !conditionStatuses.includes(condition.status))
    .map(({ condition, path }) => field.notSupported(path, condition.status, conditionStatuses));
}

export const validateApiServiceStatusUpdate = (service: ApiService, old: ApiService): FieldError[] => [
  ...validateObjectMetaUpdate(service.metadata, old.metadata, 'metadata'),
  ...validateApiServiceStatus(service.status),
];
