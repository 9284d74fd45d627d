import type { Cluster } from './cluster.ts';
import { startControllerManager, startKubelets, startScheduler, untilNodesAreReady } from './core-controllers.ts';
import type { Kubelet } from './kubelet.ts';
import { startOwnControllers, startOwnSimulation } from './own-components.ts';
import type { Program } from './program.ts';

/** What runs beside an API server: whose controllers and scheduler, and which nodes. */
export interface Beside {
  readonly controllers: 'go' | 'apichain';
  /** The fake kubelets of these comparisons, or the simulated nodes of this project. */
  readonly nodes: 'kubelets' | 'simulated-nodes';
}

/** The programs of Kubernetes. Needed where `controllers` is `go`. */
export interface CoreFiles {
  readonly controllerManager: string | undefined;
  readonly scheduler: string | undefined;
  /** After how many seconds a silent node is not ready. Default: that of the controllers. */
  readonly nodeGraceSeconds?: number;
}

/** How often kube-controller-manager looks at the nodes. Ours react to what happens. */
const monitorPeriod = '--node-monitor-period=1s';

/** What `--beside` accepts, by name. */
export const combinations: ReadonlyMap<string, Beside> = new Map(
  (['kubelets', 'simulated-nodes'] as const).flatMap((nodes) =>
    (['go', 'apichain'] as const).map((controllers) => [`${controllers}+${nodes}`, { controllers, nodes }] as const),
  ),
);

/** The controllers and the scheduler of one side. */
export type Managers = Readonly<Record<'controllers' | 'scheduler', Program>>;

/** Starts controllers and a scheduler, which work or wait for the leader. */
export async function startManagers(
  cluster: Cluster,
  whose: Beside['controllers'],
  { controllerManager, scheduler, nodeGraceSeconds }: CoreFiles,
): Promise<Managers> {
  const flags = nodeGraceSeconds === undefined ? [] : [`--node-monitor-grace-period=${nodeGraceSeconds}s`];
  if (whose === 'apichain')
    return {
      controllers: await startOwnControllers(cluster, flags),
      scheduler: await startOwnSimulation(cluster, { scheduler: true, nodes: false }, 'scheduler'),
    };
  if (controllerManager === undefined || scheduler === undefined)
    throw new Error('--kube-controller-manager and --kube-scheduler are needed beside go+...');
  return {
    controllers: await startControllerManager(
      cluster,
      controllerManager,
      flags.length === 0 ? [] : [...flags, monitorPeriod],
    ),
    scheduler: await startScheduler(cluster, scheduler),
  };
}

/**
 * Starts what runs beside a cluster, and waits until its nodes are ready. The programs are added to `programs`. Returns the fake kubelets, none with
 * simulated nodes.
 */
export async function startComponents(
  cluster: Cluster,
  { controllers, nodes }: Beside,
  files: CoreFiles,
  programs: Program[],
): Promise<readonly Kubelet[]> {
  programs.push(...Object.values(await startManagers(cluster, controllers, files)));
  if (nodes === 'kubelets') return startKubelets(cluster);
  programs.push(await startOwnSimulation(cluster, { scheduler: false, nodes: true }, 'nodes'));
  await untilNodesAreReady(cluster);
  return [];
}
