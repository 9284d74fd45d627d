import type { CompiledExpression } from '@apichain/cel';
import { field, type FieldError } from '@apichain/meta';

/** The errors of the expression at `path`; after convertCELErrorToValidationError of pkg/apis/admissionregistration/validation. */
export function compileErrors(path: string, expression: string, compiled: CompiledExpression): FieldError[] {
  if (!('error' in compiled)) return [];
  const { error, isInternal } = compiled;
  return [isInternal === true ? field.internal(path, error) : field.invalid(path, expression, error)];
}
