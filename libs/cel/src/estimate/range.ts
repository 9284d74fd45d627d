/** A size or a cost between two bounds. The bounds are limited to 2^64, as unsigned integers are in kube-apiserver. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

const most = 2 ** 64;
const bounded = (value: number): number => Math.min(value, most);

export const fixed = (value: number): Range => ({ min: value, max: value });
export const nothing: Range = fixed(0);
export const one: Range = fixed(1);
/** An unknown size. */
export const unknown: Range = { min: 0, max: most };

export const sum = (...ranges: readonly Range[]): Range =>
  ranges.reduce((a, b) => ({ min: bounded(a.min + b.min), max: bounded(a.max + b.max) }), nothing);
export const product = (a: Range, b: Range): Range => ({
  min: bounded(a.min * b.min),
  max: bounded(a.max * b.max),
});
/** A range multiplied by a factor, rounded up. */
export const scaled = ({ min, max }: Range, factor: number): Range => ({
  min: bounded(Math.ceil(min * factor)),
  max: bounded(Math.ceil(max * factor)),
});
export const union = (a: Range, b: Range): Range => ({ min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) });
