import { parseQuantity, QuantityError, type Quantity } from '@apichain/meta';

/** Parses a quantity that has been validated; undefined for any other text. */
export function quantity(text: string): Quantity | undefined {
  try {
    return parseQuantity(text);
  } catch (error) {
    if (error instanceof QuantityError) return undefined;
    throw error;
  }
}

const zero = parseQuantity('0');
const orZero = (text: string): Quantity => quantity(text) ?? zero;

export const isPositiveQuantity = (text: string): boolean => orZero(text).compare(zero) > 0;
/** Compares two quantities, for `Array.sort`. A text that is not a quantity counts as 0. */
export const compareQuantityText = (a: string, b: string): number => orZero(a).compare(orZero(b));
export const sumQuantities = (a: string, b: string): string => orZero(a).add(orZero(b)).toString();

/** Whether an amount of bytes is not a whole number, such as `100m` of memory. */
export function isFractionalBytes(text: string): boolean {
  const value = orZero(text);
  return value.milliValue() % 1000n !== 0n;
}
