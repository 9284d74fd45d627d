/** Suffixes of quantities: https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/ */
const factors: Readonly<Record<string, number>> = {
  ...{ n: 1e-9, u: 1e-6, m: 1e-3, '': 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18 },
  ...{ Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50, Ei: 2 ** 60 },
};

/** The value of a quantity such as `250m` or `1.5Gi`, near enough for a drawing. What is no quantity counts as 0. */
export function quantity(text: unknown): number {
  if (typeof text === 'number') return text;
  if (typeof text !== 'string') return 0;
  const parts = /^([+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?)([A-Za-z]{0,2})$/.exec(text);
  const value = Number(parts?.[1]) * (factors[parts?.[2] ?? ''] ?? Number.NaN);
  return Number.isFinite(value) ? value : 0;
}

const rounded = (value: number): string => String(Number(value.toFixed(value >= 10 ? 0 : value >= 1 ? 1 : 2)));

/** `1.5` cores. */
export const coresText = rounded;

const binary = ['Ki', 'Mi', 'Gi', 'Ti'] as const;

/** `1.5Gi` of bytes. */
export function bytesText(bytes: number): string {
  const at = binary.findLastIndex((suffix) => bytes >= (factors[suffix] ?? 0));
  const suffix = binary[at];
  return suffix === undefined ? rounded(bytes) : `${rounded(bytes / (factors[suffix] ?? 1))}${suffix}`;
}
