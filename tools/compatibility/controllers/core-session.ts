import type { Recording } from '../../comparison/recording.ts';
import type { Cluster } from './cluster.ts';
import { type Beside, type CoreFiles, startComponents } from './components.ts';
import { Housekeeping } from './housekeeping.ts';
import type { Kubelet } from './kubelet.ts';
import type { Program } from './program.ts';
import type { Session, Step } from './session.ts';
import { Workloads } from './workloads.ts';

/** Controllers of workloads and a scheduler with three nodes. The other sessions need them to run. */
export class CoreSession implements Session {
  readonly name = 'kube-controller-manager, kube-scheduler';
  readonly programs: Program[] = [];
  readonly #cluster: Cluster;
  readonly #beside: Beside;
  readonly #files: CoreFiles;
  readonly #uses: boolean;
  #kubelets: readonly Kubelet[] = [];

  /** `uses` = false: only starts them. */
  constructor(cluster: Cluster, beside: Beside, files: CoreFiles, uses: boolean) {
    this.#cluster = cluster;
    this.#beside = beside;
    this.#files = files;
    this.#uses = uses;
  }

  async start(): Promise<void> {
    this.#kubelets = await startComponents(this.#cluster, this.#beside, this.#files, this.programs);
  }

  get steps(): readonly Step[] {
    if (!this.#uses) return [];
    const workloads = (record: Recording) => new Workloads(this.#cluster, record);
    return [
      { name: 'workloads', run: (record) => workloads(record).run() },
      { name: 'CronJob at the next minute', run: (record) => workloads(record).cronJob() },
      {
        name: 'drain, quota, garbage, namespace',
        run: async (record) => {
          await new Housekeeping(this.#cluster, record).run();
          const failures = this.#kubelets.flatMap((kubelet) => kubelet.failures);
          record.text('kubelets: failed requests', [...new Set(failures)].toSorted().join('\n'));
        },
      },
    ];
  }

  async goOn(record: Recording): Promise<void> {
    if (this.#uses) await new Workloads(this.#cluster, record).again();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#kubelets.map((kubelet) => kubelet.stop()));
    await Promise.all(this.programs.map((program) => program.stop()));
  }
}
