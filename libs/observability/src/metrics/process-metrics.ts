import { readdirSync, readFileSync } from 'node:fs';
import { Gauge, type Registry } from 'prom-client';
import type { VersionInfo } from '@apichain/request';

/** The properties of a feature gate. */
export interface FeatureGate {
  readonly default: boolean;
  /** `Alpha`, `Beta`, `GA`, `Deprecated`. */
  readonly stage: string;
  /** Whether the value can no longer be changed. */
  readonly locked?: boolean;
}

/** Installs metrics of the process and its version. They are computed when they are read. */
export function installProcessMetrics(registry: Registry, version: VersionInfo): void {
  const registers = [registry];
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  gauge('process_cpu_seconds_total', 'Time that all threads have spent on the CPU, in seconds.', () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
  if (process.platform === 'linux') {
    gauge('process_open_fds', 'File descriptors that are open.', () => readdirSync('/proc/self/fd').length);
    gauge('process_max_fds', 'File descriptors that may be open.', maxFileDescriptors);
    gauge('process_virtual_memory_bytes', 'Address space of the process, in bytes.', virtualMemory);
  }
  gauge('process_resident_memory_bytes', 'Memory that the process holds, in bytes.', () => process.memoryUsage.rss());
  gauge('process_start_time_seconds', 'When the process began, in seconds since the epoch.', () => started);
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
    registers,
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

const procText = (name: string): string => readFileSync(`/proc/self/${name}`, 'utf8');
const maxFileDescriptors = () => Number(/^Max open files\s+(\d+)/m.exec(procText('limits'))?.[1] ?? 0);
const virtualMemory = () => Number(/^VmSize:\s+(\d+) kB/m.exec(procText('status'))?.[1] ?? 0) * 1024;

const started = Math.floor(Date.now() / 1000 - process.uptime());

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
