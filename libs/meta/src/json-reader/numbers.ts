import { wholeFloats, type JsonContainer } from '../document-facts.ts';
import { pathIn, stepOf, type Frame } from './frame.ts';
import { JsonNumberError } from './json-error.ts';

/** Number literals at longer paths are not recorded. Nor are more literals than have paths of `maxLiteralText` characters in total. */
export const maxLiteralPath = 1024;
const maxLiteralText = 1 << 24;

/** The length of -9223372036854775808. */
const longestInt64 = 20;

/**
 * Makes Go's numbers of literals: int64 (a bigint beyond 2^53) or float64. Records facts that the value does not show: the literal by its
 * path, and, for the container, which whole numbers are floats.
 */
export class NumberReader {
  /** Literals that are not int64, by path; see DocumentFacts. */
  readonly literals = new Map<string, string>();
  #literalText = 0;
  #error: JsonNumberError | undefined;

  /** The error of the first number that does not fit float64. */
  get error(): JsonNumberError | undefined {
    return this.#error;
  }

  /** `isInteger`: the literal has neither a fraction nor an exponent. The number is about to be stored in the innermost container. */
  read(literal: string, isInteger: boolean, stack: readonly Frame[]): number | bigint {
    const value = Number(literal);
    // Go's integers have no -0.
    if (isInteger && Number.isSafeInteger(value)) return value === 0 ? 0 : value;
    if (isInteger && literal.length <= longestInt64) {
      const exact = BigInt(literal);
      if (BigInt.asIntN(64, exact) === exact) return exact;
    }
    if (!Number.isFinite(value)) {
      this.#error ??= new JsonNumberError(`json: cannot unmarshal number ${literal} into Go value of type float64`);
    }
    this.#noteLiteral(literal, stack);
    if (Number.isSafeInteger(value)) noteWholeFloat(stack.at(-1));
    return value;
  }

  #noteLiteral(literal: string, stack: readonly Frame[]): void {
    if (this.#literalText > maxLiteralText || stack.length > maxLiteralPath) return;
    const path = pathIn(stack);
    if (path.length > maxLiteralPath) return;
    this.#literalText += path.length;
    this.literals.set(path, literal);
  }
}

function noteWholeFloat(frame: Frame | undefined): void {
  const container: JsonContainer | undefined = frame?.object ?? frame?.array;
  if (frame === undefined || container === undefined) return;
  if (frame.wholeFloats === undefined) {
    frame.wholeFloats = new Set();
    container[wholeFloats] = frame.wholeFloats;
  }
  frame.wholeFloats.add(stepOf(frame));
}
