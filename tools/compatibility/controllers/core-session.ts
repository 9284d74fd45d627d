import type { Record } from '../record.ts';
import type { Cluster } from './cluster.ts';
import { startControllerManager, startKubelets, startScheduler } from './core-controllers.ts';
import { Housekeeping } from './housekeeping.ts';
import type { Kubelet } from './kubelet.ts';
import type { Program } from './program.ts';
import type { Session, Step } from './session.ts';
import { Workloads } from './workloads.ts';

/** kube-controller-manager and kube-scheduler with three nodes. The other sessions need them to run. */
export class CoreSession implements Session {
  readonly name = 'kube-controller-manager, kube-scheduler';
  readonly programs: Program[] = [];
  readonly #cluster: Cluster;
  readonly #files: { readonly controllerManager: string; readonly scheduler: string };
  readonly #uses: boolean;
  #kubelets: Kubelet[] = [];

  /** `uses` = false: only starts them. */
  constructor(
    cluster: Cluster,
    files: { readonly controllerManager: string; readonly scheduler: string },
    uses: boolean,
  ) {
    this.#cluster = cluster;
    this.#files = files;
    this.#uses = uses;
  }

  async start(): Promise<void> {
    this.programs.push(await startControllerManager(this.#cluster, this.#files.controllerManager));
    this.programs.push(await startScheduler(this.#cluster, this.#files.scheduler));
    this.#kubelets = await startKubelets(this.#cluster);
  }

  get steps(): readonly Step[] {
    if (!this.#uses) return [];
    const workloads = (record: Record) => new Workloads(this.#cluster, record);
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

  async goOn(record: Record): Promise<void> {
    if (this.#uses) await new Workloads(this.#cluster, record).again();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#kubelets.map((kubelet) => kubelet.stop()));
    await Promise.all(this.programs.map((program) => program.stop()));
  }
}
