import { readGenerated } from './generated-file.ts';

/** A feature gate of the Kubernetes version whose types these are. */
export interface KnownFeatureGate {
  readonly default: boolean;
  /** `Alpha`, `Beta`, `GA`, `Deprecated`. */
  readonly stage: string;
  /** Cannot be set to anything else any more. */
  readonly locked?: boolean;
}

let gates: Readonly<Record<string, KnownFeatureGate>> | undefined;

/** Every gate that kube-apiserver knows, by name; read when first asked for. */
export const knownFeatureGates = (): Readonly<Record<string, KnownFeatureGate>> =>
  (gates ??= readGenerated<Record<string, KnownFeatureGate>>('featuregates.json'));
