import { goQuote } from '@apichain/go-text';
import type { FeatureGate } from '@apichain/observability';
import { FlagError } from './flag.ts';
import type { ParsedFlags } from './parse-flags.ts';

/** Gates that set all gates of a stage. */
const groups: ReadonlySet<string> = new Set(['AllAlpha', 'AllBeta']);

/** The known feature gates, and those that `--feature-gates` sets. */
export interface FeatureGates {
  readonly known: () => Readonly<Record<string, FeatureGate>>;
  readonly given: ReadonlyMap<string, string>;
}

/** Throws FlagError for an unknown gate, an invalid value, and a gate that can no longer be set. */
export function featureGatesOf(flags: ParsedFlags, known: FeatureGates['known']): FeatureGates {
  const given = flags.map('feature-gates');
  for (const [name, value] of given) {
    const refuse = (why: string) =>
      new FlagError(`invalid argument ${goQuote(`${name}=${value}`)} for "--feature-gates" flag: ${why}`);
    if (!/^(1|t|T|TRUE|true|True|0|f|F|FALSE|false|False)$/.test(value)) {
      throw refuse(
        `invalid value of ${name}=${value}, err: strconv.ParseBool: parsing ${goQuote(value)}: invalid syntax`,
      );
    }
    if (groups.has(name)) continue;
    const gates = known();
    const gate = Object.hasOwn(gates, name) ? gates[name] : undefined;
    if (gate === undefined) throw refuse(`unrecognized feature gate: ${name}`);
    if (gate.locked === true && value !== String(gate.default)) {
      throw refuse(`cannot set feature gate ${name} to ${value}, feature is locked to ${gate.default}`);
    }
  }
  return { known, given };
}
