import { lazy } from '@apichain/meta';
import { readGenerated } from './generated-file.ts';

/** A feature gate of the supported Kubernetes version. */
interface KnownFeatureGate {
  readonly default: boolean;
  /** `Alpha`, `Beta`, `GA`, `Deprecated`. */
  readonly stage: string;
  /** The gate cannot be changed from its default. */
  readonly locked?: boolean;
}

const alpha: KnownFeatureGate = { default: false, stage: 'Alpha' };
const beta: KnownFeatureGate = { default: true, stage: 'Beta' };
const locked: KnownFeatureGate = { default: true, stage: 'GA', locked: true };

/**
 * The gates of the Go libraries that kube-apiserver is made of (client-go, component-base), which its flag accepts and its metrics have. They
 * are not among the documented gates of Kubernetes. https://pkg.go.dev/k8s.io/client-go/features
 */
const libraryGates: Readonly<Record<string, KnownFeatureGate>> = {
  AtomicFIFO: beta,
  ClientsAllowCARotation: beta,
  ClientsAllowCBOR: alpha,
  ClientsAllowTLSCacheGC: beta,
  ClientsPreferCBOR: alpha,
  ContextualLogging: beta,
  ControllerManagerReleaseLeaderElectionLockOnExit: alpha,
  InOrderInformers: locked,
  InOrderInformersBatchProcess: beta,
  InformerResourceVersion: locked,
  LoggingAlphaOptions: alpha,
  LoggingBetaOptions: beta,
  NativeHistograms: alpha,
  UnlockWhileProcessingFIFO: beta,
  WatchListClient: beta,
};

/** Every gate of kube-apiserver, by name; read on first use. */
export const knownFeatureGates = lazy((): Readonly<Record<string, KnownFeatureGate>> => ({
  ...readGenerated<Record<string, KnownFeatureGate>>('featuregates.json'),
  ...libraryGates,
}));

/** Whether a gate is enabled. Called while kinds are registered, not for every request. */
export type OpenGate = (gate: string) => boolean;

/**
 * The gates under a validated `--feature-gates`. An explicit setting of a gate takes precedence over `AllAlpha` and `AllBeta`, and these over the
 * default of the release. https://kubernetes.io/docs/reference/command-line-tools-reference/feature-gates/
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
