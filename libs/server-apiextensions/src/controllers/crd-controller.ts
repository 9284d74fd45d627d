import { internalContext } from '@apichain/apiserver';
import { WorkQueue, type WorkQueueObserver } from '@apichain/client';
import { deepClone, isStatusError } from '@apichain/meta';
import { findCondition, isConditionTrue, type CustomResourceDefinition } from '@apichain/schema';
import type { Workers } from '@apichain/request';
import type { Logger } from 'pino';
import { checkStructure } from '../crd/crd-checks.ts';
import { cleanupFinalizer, condition, sameCondition, setCondition } from '../crd/conditions.ts';
import type { CrdCache } from '../crd/crd-cache.ts';
import { crdGroupResource, crdGroupVersion, type CrdResource } from '../crd/crd-resource.ts';
import { acceptNames, establish } from './names.ts';
import { reportApproval, reportNonStructural } from './schema-conditions.ts';

/** How the instances of a CRD are deleted. */
interface InstanceRemover {
  /** Deletes every instance. Resolves with the number of remaining instances. */
  removeInstances(crd: CustomResourceDefinition, signal: AbortSignal): Promise<number>;
  /** Deletes the instances of a CRD that is gone, unless one of its name is defined again. */
  removeStragglers(crd: CustomResourceDefinition, signal: AbortSignal): Promise<void>;
}

interface CrdControllerOptions {
  readonly cache: Pick<CrdCache, 'get' | 'all' | 'onChange'>;
  readonly resource: Pick<CrdResource, 'updateStatus'>;
  readonly instances: InstanceRemover;
  readonly logger: Pick<Logger, 'warn'>;
  readonly observer?: WorkQueueObserver;
  /** The worker threads of the server, for large definitions. */
  readonly workers: () => Workers | undefined;
}

/** CRDs whose instances would be objects of built-in resources. These objects are kept when the CRD is deleted. */
const overlapping: ReadonlySet<string> = new Set([
  'apiservices.apiregistration.k8s.io',
  'customresourcedefinitions.apiextensions.k8s.io',
]);

const inProgress = condition(
  'Terminating',
  'True',
  'InstanceDeletionInProgress',
  'CustomResource deletion is in progress',
);

/** How often a CRD with remaining instances (finalizers) is checked again, in milliseconds. */
const instancesLeftMs = 5000;

/**
 * How long after the release of a CRD its instances are looked for once more, in milliseconds. By then the other servers of the store have seen that it
 * is terminating. What they admitted before would be left behind. No client waits for this.
 */
const stragglersMs = 1_000;

/**
 * Updates the status of CRDs from their specs, and finalizes those that are being deleted. There is one worker, because names are accepted one CRD
 * at a time. Every write is conditional on the resourceVersion, so several servers may run this controller.
 */
export class CrdController {
  readonly #cache: CrdControllerOptions['cache'];
  readonly #resource: CrdControllerOptions['resource'];
  readonly #instances: InstanceRemover;
  readonly #logger: CrdControllerOptions['logger'];
  readonly #workers: CrdControllerOptions['workers'];
  readonly #queue: WorkQueue;
  /** Released CRDs by name, whose instances are looked for once more. */
  readonly #released = new Map<string, { readonly crd: CustomResourceDefinition; readonly sweepAt: number }>();

  constructor(options: CrdControllerOptions) {
    this.#queue = new WorkQueue({ observer: options.observer });
    this.#cache = options.cache;
    this.#resource = options.resource;
    this.#instances = options.instances;
    this.#logger = options.logger;
    this.#workers = options.workers;
    this.#cache.onChange((name, crd) => {
      this.#queue.add(name);
      this.#reconsiderGroup(name, crd);
    });
  }

  /** A CRD that is deleted or changes its names may release names that other CRDs of the group wait for. */
  #reconsiderGroup(name: string, changed: CustomResourceDefinition | undefined): void {
    const group = changed?.spec.group ?? name.slice(name.indexOf('.') + 1);
    for (const crd of this.#cache.all())
      if (crd.spec.group === group && crd.metadata.name !== name && !isConditionTrue(crd, 'NamesAccepted'))
        this.#queue.add(crd.metadata.name ?? '');
  }

  async run(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.#queue.shutDown(), { once: true });
    for (let name = await this.#queue.get(); name !== undefined; name = await this.#queue.get()) {
      try {
        await this.#sync(name, signal);
        this.#queue.forget(name);
      } catch (error) {
        if (signal.aborted) return;
        // The CRD was changed or deleted meanwhile. The watch queues it again.
        if (!isStatusError(error, 'Conflict') && !isStatusError(error, 'NotFound')) {
          this.#logger.warn({ err: error, crd: name }, 'reconciling a CustomResourceDefinition failed');
          this.#queue.addRateLimited(name);
        }
      } finally {
        this.#queue.done(name);
      }
    }
  }

  async #sync(name: string, signal: AbortSignal): Promise<void> {
    const crd = this.#cache.get(name);
    if (crd?.metadata.deletionTimestamp) return this.#finalize(crd, signal);
    if (crd === undefined) return this.#removeStragglers(name, signal);
    this.#released.delete(name);
    if (!(await this.#advance(deepClone(crd)))) return;
    await this.#update(crd, signal, (current) => this.#advance(current));
  }

  async #advance(crd: CustomResourceDefinition): Promise<boolean> {
    const found = await checkStructure(crd, this.#workers());
    const changes = [
      reportApproval(crd),
      reportNonStructural(crd, found),
      acceptNames(crd, this.#cache.all()),
      establish(crd),
    ];
    return changes.includes(true);
  }

  #update(
    crd: CustomResourceDefinition,
    signal: AbortSignal,
    change: (crd: CustomResourceDefinition) => boolean | Promise<boolean>,
  ): Promise<void> {
    const ctx = internalContext(
      { ...crdGroupVersion, resource: crdGroupResource.resource },
      { name: crd.metadata.name ?? '', verb: 'update', signal },
    );
    return this.#resource.updateStatus(ctx, crd, change, this.#workers());
  }

  async #finalize(crd: CustomResourceDefinition, signal: AbortSignal): Promise<void> {
    if (!(crd.metadata.finalizers ?? []).includes(cleanupFinalizer)) return;
    if (!(await this.#isMarked(crd, signal))) return;
    if (overlapping.has(`${crd.spec.names.plural ?? ''}.${crd.spec.group}`)) {
      const message = 'instances overlap with built-in resources in storage';
      await this.#release(crd, signal, 'OverlappingBuiltInResource', message);
      return;
    }
    if (!isConditionTrue(crd, 'Established')) {
      await this.#release(crd, signal, 'NeverEstablished', 'resource was never established');
      return;
    }
    const left = await this.#instances.removeInstances(crd, signal);
    if (left > 0) {
      this.#queue.addAfter(crd.metadata.name ?? '', instancesLeftMs);
      return;
    }
    await this.#release(crd, signal, 'InstanceDeletionCompleted', 'removed all instances');
    const { name = '' } = crd.metadata;
    // The watch queues the CRD once more when it is gone.
    this.#released.set(name, { crd, sweepAt: performance.now() + stragglersMs });
  }

  /** Whether this server has seen that the deletion is in progress. If not, marks the CRD: the watch of the cache then queues it again. */
  async #isMarked(crd: CustomResourceDefinition, signal: AbortSignal): Promise<boolean> {
    if (sameCondition(findCondition(crd, 'Terminating'), inProgress)) return true;
    await this.#update(crd, signal, (current) => {
      setCondition(current, inProgress);
      return true;
    });
    return false;
  }

  async #removeStragglers(name: string, signal: AbortSignal): Promise<void> {
    const released = this.#released.get(name);
    if (released === undefined) return;
    const waitMs = released.sweepAt - performance.now();
    if (waitMs > 0) {
      this.#queue.addAfter(name, waitMs);
      return;
    }
    await this.#instances.removeStragglers(released.crd, signal);
    this.#released.delete(name);
  }

  #release(crd: CustomResourceDefinition, signal: AbortSignal, reason: string, message: string): Promise<void> {
    return this.#update(crd, signal, (current) => {
      setCondition(current, condition('Terminating', 'False', reason, message));
      current.metadata.finalizers = (current.metadata.finalizers ?? []).filter((f) => f !== cleanupFinalizer);
      return true;
    });
  }
}
