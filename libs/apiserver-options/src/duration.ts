import { lookupTable } from '@apichain/meta';

const unitMs: Readonly<Record<string, number | undefined>> = lookupTable({
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
});
const component = /^(\d*\.?\d*)([a-zµμ]*)/;

/** Milliseconds of a Go duration such as `1m30s`, or the text of Go's error: https://pkg.go.dev/time#ParseDuration */
export function parseGoDuration(text: string): number | string {
  const negative = text.startsWith('-');
  let rest = negative || text.startsWith('+') ? text.slice(1) : text;
  if (rest === '0') return 0;
  if (rest === '') return `time: invalid duration ${JSON.stringify(text)}`;
  let total = 0;
  while (rest !== '') {
    const match = component.exec(rest);
    const digits = match?.[1] ?? '';
    const unit = match?.[2] ?? '';
    if (digits === '' || digits === '.') return `time: invalid duration ${JSON.stringify(text)}`;
    if (unit === '') return `time: missing unit in duration ${JSON.stringify(text)}`;
    const factor = unitMs[unit];
    if (factor === undefined) return `time: unknown unit ${JSON.stringify(unit)} in duration ${JSON.stringify(text)}`;
    total += Number(digits) * factor;
    rest = rest.slice(digits.length + unit.length);
  }
  return negative ? -total : total;
}
