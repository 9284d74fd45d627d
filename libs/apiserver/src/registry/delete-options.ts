import { field, type FieldError } from '@apichain/meta';
import type { GracefulDeleteOptions } from './strategy.ts';

const supportedPolicies = ['Foreground', 'Background', 'Orphan', 'nil'];

/** Validates dryRun of any options: the only valid value is `All`. Source: ValidateDryRun of apimachinery meta/v1/validation. */
export function validateDryRun(values: readonly string[] | undefined): FieldError[] {
  if (values === undefined || values.length === 0) return [];
  return values.every((value) => value === 'All') ? [] : [field.notSupported('dryRun', values, ['All'])];
}

/** Source: ValidateDeleteOptions of k8s.io/apimachinery/pkg/apis/meta/v1/validation. */
export function validateDeleteOptions(options: GracefulDeleteOptions): FieldError[] {
  const errors: FieldError[] = [];
  const policy: string | undefined = options.propagationPolicy;
  if (policy !== undefined && options.orphanDependents !== undefined) {
    errors.push(
      field.invalid('propagationPolicy', policy, 'orphanDependents and deletionPropagation cannot be both set'),
    );
  }
  if (policy !== undefined && !['Foreground', 'Background', 'Orphan'].includes(policy)) {
    errors.push(field.notSupported('propagationPolicy', policy, supportedPolicies));
  }
  errors.push(...validateDryRun(options.dryRun));
  return errors;
}
