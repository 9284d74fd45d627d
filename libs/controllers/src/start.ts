import type { KeyObject } from 'node:crypto';
import { errorText, type Logger, type RestClient, SharedInformers, silentLogger } from '@apichain/client';
import { currentActivity, untilAborted } from '@apichain/meta';
import type { CertificatePair } from '@apichain/serving/certificates';
import type { Controller, ControllerContext, Running } from './context.ts';
import { attributesClassProtection } from './attributes-class-protection.ts';
import { clusterRoleAggregation } from './cluster-role-aggregation.ts';
import { Discovery } from './discovery.ts';
import { garbageCollector } from './garbage-collector/controller.ts';
import { namespaceLifecycle } from './namespace/controller.ts';
import { rootCaPublisher } from './root-ca.ts';
import { type ControllerName, selectControllers } from './selection.ts';
import { serviceAccounts } from './service-account.ts';
import { type ControllerSettings, parseSettings } from './settings.ts';
import { serviceAccountTokens } from './service-account-token.ts';
import { claimProtection, volumeProtection } from './storage-protection.ts';
import { tokenCleaner } from './token-cleaner.ts';
import { ttlAfterFinished } from './ttl-after-finished.ts';

interface ControllersOptions {
  /** The transport of the client must allow one connection for each watched resource, and a few more. */
  readonly client: RestClient;
  /** Stops the controllers when aborted. */
  readonly signal: AbortSignal;
  /** The selection, in the syntax of `--controllers`. Default: all. */
  readonly controllers?: readonly string[];
  /** PEM text to publish as `kube-root-ca.crt`. Without it, the root CA publisher does not run. */
  readonly rootCa?: string;
  /** The private key (RSA or P-256) that signs the tokens of ServiceAccounts in Secrets. Without it, Secrets get no tokens. */
  readonly tokenKey?: KeyObject;
  /** The authority that signs the certificates that are requested. Without it, nobody signs them. */
  readonly signer?: CertificatePair;
  /** How controllers work. Default: as those of kube-controller-manager do without flags. */
  readonly settings?: ControllerSettings;
  /** Informers that others use as well, who stop them. Default: the controllers' own. */
  readonly informers?: SharedInformers;
  readonly log?: Logger;
}

interface RunningControllers {
  /** Resolves when the caches of every controller are in sync. */
  readonly synced: Promise<void>;
  /** Resolves when all controllers have stopped after `signal`. */
  readonly stopped: Promise<void>;
}

/** A controller whose code is loaded when it is selected: nobody pays for workload controllers that do not run. */
interface LateController {
  readonly load: () => Promise<Controller>;
}
const loadedLater = (load: () => Promise<Controller>): LateController => ({ load });

const controllers: Readonly<Record<ControllerName, Controller | LateController>> = {
  'certificatesigningrequest-approving-controller': loadedLater(
    async () => (await import('./certificates/approving-controller.ts')).certificateApproving,
  ),
  'certificatesigningrequest-cleaner-controller': loadedLater(
    async () => (await import('./certificates/cleaner-controller.ts')).certificateCleaner,
  ),
  'certificatesigningrequest-signing-controller': loadedLater(
    async () => (await import('./certificates/signing-controller.ts')).certificateSigning,
  ),
  'clusterrole-aggregation-controller': clusterRoleAggregation,
  'cronjob-controller': loadedLater(async () => (await import('./cronjob/controller.ts')).cronJobController),
  'daemonset-controller': loadedLater(async () => (await import('./daemonset/controller.ts')).daemonSets),
  'deployment-controller': loadedLater(async () => (await import('./deployment/controller.ts')).deployments),
  'disruption-controller': loadedLater(async () => (await import('./disruption/controller.ts')).disruptionController),
  'endpoints-controller': loadedLater(async () => (await import('./endpoints/controller.ts')).endpointsController),
  'endpointslice-controller': loadedLater(
    async () => (await import('./endpointslices/controller.ts')).endpointSliceController,
  ),
  'endpointslice-mirroring-controller': loadedLater(
    async () => (await import('./endpointslices/mirroring-controller.ts')).endpointSliceMirroring,
  ),
  'ephemeral-volume-controller': loadedLater(
    async () => (await import('./ephemeral-volumes/controller.ts')).ephemeralVolumes,
  ),
  'garbage-collector-controller': garbageCollector,
  'horizontal-pod-autoscaler-controller': loadedLater(
    async () => (await import('./autoscaling/controller.ts')).horizontalPodAutoscaler,
  ),
  'job-controller': loadedLater(async () => (await import('./job/controller.ts')).jobController),
  'namespace-controller': namespaceLifecycle,
  'node-lifecycle-controller': loadedLater(async () => (await import('./node-lifecycle/controller.ts')).nodeLifecycle),
  'persistentvolume-attach-detach-controller': loadedLater(
    async () => (await import('./attach-detach/controller.ts')).attachDetach,
  ),
  'persistentvolume-binder-controller': loadedLater(
    async () => (await import('./volume-binder/controller.ts')).volumeBinder,
  ),
  'persistentvolume-expander-controller': loadedLater(
    async () => (await import('./volume-expander/controller.ts')).volumeExpander,
  ),
  'persistentvolume-protection-controller': volumeProtection,
  'persistentvolumeclaim-protection-controller': claimProtection,
  'pod-garbage-collector-controller': loadedLater(
    async () => (await import('./pod-gc/controller.ts')).podGarbageCollector,
  ),
  'replicaset-controller': loadedLater(async () => (await import('./replicaset/controller.ts')).replicaSets),
  'replicationcontroller-controller': loadedLater(
    async () => (await import('./replicaset/controller.ts')).replicationController,
  ),
  'resourcequota-controller': loadedLater(async () => (await import('./resource-quota/controller.ts')).resourceQuotas),
  'root-ca-certificate-publisher-controller': rootCaPublisher,
  'serviceaccount-controller': serviceAccounts,
  'serviceaccount-token-controller': serviceAccountTokens,
  'statefulset-controller': loadedLater(async () => (await import('./statefulset/controller.ts')).statefulSets),
  'taint-eviction-controller': loadedLater(async () => (await import('./taint-eviction/controller.ts')).taintEviction),
  'token-cleaner-controller': tokenCleaner,
  'ttl-after-finished-controller': ttlAfterFinished,
  'ttl-controller': loadedLater(async () => (await import('./node-ttl.ts')).nodeTtl),
  'volumeattributesclass-protection-controller': attributesClassProtection,
};

/** Starts controllers, without leader election. Throws Error for an unknown name in `controllers`. */
export function startControllers(options: ControllersOptions): RunningControllers {
  const { client, signal, rootCa = '', signer, settings = parseSettings() } = options;
  const log = options.log ?? silentLogger;
  const inVain = new Set<ControllerName>([
    ...(rootCa === '' ? (['root-ca-certificate-publisher-controller'] as const) : []),
    ...(signer === undefined ? (['certificatesigningrequest-signing-controller'] as const) : []),
  ]);
  const names = selectControllers(options.controllers ?? ['*']).filter((name) => !inVain.has(name));
  const own = new SharedInformers({
    client,
    onError: ({ resource }, error) => log.error('watch failed', { resource, error: errorText(error) }),
  });
  const { informers = own } = options;
  const context: ControllerContext = {
    client,
    discovery: new Discovery(client),
    signal,
    log,
    rootCa,
    tokenKey: options.tokenKey,
    signer,
    settings,
    informer: (resource) => informers.informer(resource),
    metadataInformer: (resource) => informers.metadataInformer(resource),
    knownInformer: (resource) => informers.known(resource),
    knownMetadata: (resource) => informers.knownMetadata(resource),
  };
  const running = startInOrder(names, context);
  return {
    synced: running.then((all) => Promise.all(all.map(({ synced }) => synced))).then(() => undefined),
    stopped: Promise.all([
      running.then((all) => Promise.all(all.map(({ stopped }) => stopped))),
      untilAborted(signal).then(() => own.stop()),
    ]).then(() => undefined),
  };
}

/** Loads the code of controllers, then starts them in the order of their names, so that two runs begin alike. */
async function startInOrder(names: readonly ControllerName[], context: ControllerContext): Promise<Running[]> {
  const end = currentActivity()?.begin('the code of the controllers');
  try {
    const all = await Promise.all(names.map(async (name) => loaded(controllers[name])));
    return all.map((controller) => controller(context));
  } finally {
    end?.();
  }
}

const loaded = async (controller: Controller | LateController): Promise<Controller> =>
  'load' in controller ? controller.load() : controller;
