const units = [
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
] as const;

/** `5m` from a time as in metadata.creationTimestamp. */
export function age(timestamp: string | undefined): string {
  if (timestamp === undefined) return '';
  const seconds = Math.max(0, Math.round((Date.now() - Date.parse(timestamp)) / 1000));
  for (const [unit, size] of units) if (seconds >= 2 * size) return `${Math.floor(seconds / size)}${unit}`;
  return `${seconds}s`;
}

export function milliseconds(value: number): string {
  if (value >= 1000) return `${(value / 1000).toFixed(2)} s`;
  return `${value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)} ms`;
}
