import { Gauge, type Registry } from 'prom-client';
import { processMetrics } from '@apichain/client/metrics';
import type { VersionInfo } from '@apichain/request';
import { installNodeMetrics } from './node-metrics.ts';

/** The properties of a feature gate. */
export interface FeatureGate {
  readonly default: boolean;
  /** `Alpha`, `Beta`, `GA`, `Deprecated`. */
  readonly stage: string;
  /** Whether the value can no longer be changed. */
  readonly locked?: boolean;
}

/** Installs metrics of the process, of Node and of the version. They are computed when they are read. */
export function installProcessMetrics(registry: Registry, version: VersionInfo): void {
  processMetrics(registry);
  installNodeMetrics(registry);
  const { major, minor, gitVersion, gitCommit, gitTreeState, buildDate, goVersion, compiler, platform } = version;
  new Gauge({
    name: 'kubernetes_build_info',
    help: 'Always 1; the labels tell what the server was built from.',
    labelNames: [
      'major',
      'minor',
      'git_version',
      'git_commit',
      'git_tree_state',
      'build_date',
      'go_version',
      'compiler',
      'platform',
    ],
    registers: [registry],
  }).set(
    {
      major,
      minor,
      git_version: gitVersion,
      git_commit: gitCommit,
      git_tree_state: gitTreeState,
      build_date: buildDate,
      go_version: goVersion,
      compiler,
      platform,
    },
    1,
  );
}

/** Installs a metric of the enabled feature gates. `known` and `isOpen` are called when the metrics are first read. */
export function installFeatureMetrics(
  registry: Registry,
  known: () => Readonly<Record<string, FeatureGate>>,
  isOpen: (gate: string) => boolean,
): void {
  let described = false;
  new Gauge({
    name: 'kubernetes_feature_enabled',
    help: 'Whether a feature gate is open: 1 = it is.',
    labelNames: ['name', 'stage'],
    registers: [registry],
    collect() {
      if (described) return;
      described = true;
      for (const [name, { stage }] of Object.entries(known()))
        this.set({ name, stage: stage === 'GA' ? '' : stage.toUpperCase() }, isOpen(name) ? 1 : 0);
    },
  });
}
