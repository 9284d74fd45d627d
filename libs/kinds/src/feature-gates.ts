import { readGenerated } from './generated-file.ts';

/** A feature gate of the Kubernetes version whose types these are. */
export interface KnownFeatureGate {
  readonly default: boolean;
  /** `Alpha`, `Beta`, `GA`, `Deprecated`. */
  readonly stage: string;
  /** Cannot be set to anything else any more. */
  readonly locked?: boolean;
}

/** A generated file, read once. */
let gates: Readonly<Record<string, KnownFeatureGate>> | undefined;

/** Every gate that kube-apiserver knows, by name; read when first asked for. */
export const knownFeatureGates = (): Readonly<Record<string, KnownFeatureGate>> =>
  (gates ??= readGenerated<Record<string, KnownFeatureGate>>('featuregates.json'));

/** Whether a gate is open. Kinds ask while they are registered, not with every request. */
export type OpenGate = (gate: string) => boolean;

/**
 * The gates under `--feature-gates`, checked before: a gate that is named is as it says, then `AllAlpha` and `AllBeta` speak for theirs, then
 * the default of the release holds. https://kubernetes.io/docs/reference/command-line-tools-reference/feature-gates/
 */
export function openGates(given: ReadonlyMap<string, string> = new Map()): OpenGate {
  const said = (name: string): boolean | undefined => {
    const value = given.get(name);
    return value === undefined ? undefined : /^(?:1|t)/i.test(value);
  };
  return (gate) => {
    const known = knownFeatureGates()[gate];
    return said(gate) ?? (known === undefined ? undefined : said(`All${known.stage}`)) ?? known?.default ?? false;
  };
}
