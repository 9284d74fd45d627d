import { parseBindAddress, type BindAddress } from '@apichain/client';
import { parseDurationMs } from '@apichain/go-text';

/* The values of flags, for the programs of clients of the chain. Each throws Error with a one-line message for a bad value. */

/** Definition of a flag with a text for `parseArgs`. */
export const textFlag = (value: string) => ({ type: 'string', default: value }) as const;

/** As in Go, a boolean flag may be given without a value. */
export const withBooleanValues = (args: readonly string[], switches: readonly string[]): string[] =>
  args.map((arg) => (switches.includes(arg) ? `${arg}=true` : arg));

/** The value of a boolean flag. */
export function booleanValue(flag: string, text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new Error(`--${flag}: ${JSON.stringify(text)} is not true or false`);
  return text === 'true';
}

/** The value of a flag with a duration, in milliseconds. */
export function durationValue(flag: string, text: string): number {
  try {
    return parseDurationMs(text);
  } catch {
    throw new Error(`--${flag}: ${JSON.stringify(text)} is not a duration such as 15s`);
  }
}

/** Undefined for an empty text: no health checks. */
export function healthAddressValue(text: string): BindAddress | undefined {
  if (text === '') return undefined;
  const address = parseBindAddress(text);
  if (address === undefined)
    throw new Error(`--health-probe-bind-address: ${JSON.stringify(text)} is not an address and a port such as :8081`);
  return address;
}
