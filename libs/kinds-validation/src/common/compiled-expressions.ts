import { compileExpression, type CompiledExpression } from '@apichain/cel';
import { pause, field, type FieldError } from '@apichain/meta';

/**
 * The compiled expressions of one object. Compiling takes much longer than any other check, and an object may have thousands of expressions. So
 * `KindValidation.compile` compiles them before the checks, with pauses, and the checks find them here.
 */
export class CompiledExpressions {
  readonly #byPath = new Map<string, CompiledExpression>();

  /** The expression at a path of the object. It is compiled if it is asked for the first time. */
  at(path: string, ...source: Parameters<typeof compileExpression>): CompiledExpression {
    const compiled = this.#byPath.get(path) ?? compileExpression(...source);
    this.#byPath.set(path, compiled);
    return compiled;
  }
}

/** Runs a check of each item for its expressions alone, with pauses. The errors are found again by the checks. */
export async function compileEach<T>(items: readonly T[] | undefined, check: field.MemberCheck<T>): Promise<void> {
  for (const [i, item] of (items ?? []).entries()) {
    const wait = pause();
    if (wait !== undefined) await wait;
    check([], item, i);
  }
}

/** The errors of the expression at `path`; after convertCELErrorToValidationError of pkg/apis/admissionregistration/validation. */
export function compileErrors(path: string, expression: string, compiled: CompiledExpression): FieldError[] {
  if (!('error' in compiled)) return [];
  const { error, isInternal } = compiled;
  return [isInternal === true ? field.internal(path, error) : field.invalid(path, expression, error)];
}
