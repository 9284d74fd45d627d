import type { Deployment, DeploymentStatus, ReplicaSet } from '@apichain/api/apps/v1';
import {
  type EventRecorder,
  type RestClient,
  controllerOf,
  controllerReference,
  type ControllerKind,
} from '@apichain/client';
import {
  currentTime,
  deepEqual,
  errorMessage,
  findCondition,
  isStatusError,
  semanticEqual,
  isNamespaceTerminating,
} from '@apichain/meta';

import { replicaSets as replicaSetsOf, deployments } from '../resources.ts';
import { hasProgressDeadline, newCondition, pauseConditions, setCondition } from './conditions.ts';
import { newReplicaSet } from './new-replica-set.ts';
import {
  annotationsAfterRollback,
  currentAnnotations,
  lastRevision,
  maxRevision,
  parseRevision,
  revisionAnnotation,
  revisionOf,
  rollbackToAnnotation,
  sizeAnnotations,
  surplusSets,
} from './revision.ts';
import { type Scaling, allSets, isScaled, scaleCurrent, scaleOld, scaleOldToZero, scaleToReplicas } from './scaling.ts';
import { desiredReplicas, sizeOf } from './size.ts';
import { deploymentStatus, isComplete, rolloutStatus } from './status.ts';
import { type ReplicaSetsOfDeployment, equalTemplates, sortReplicaSets, withoutTemplateHash } from './template.ts';

/** The kind of the owners of ReplicaSets. */
export const deploymentKind: ControllerKind<Deployment> = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  resource: deployments,
};

/** The parts of a synchronization. */
interface RolloutOptions {
  readonly client: RestClient;
  readonly recorder: EventRecorder;
  readonly deployment: Deployment;
  /** The ReplicaSets that the Deployment controls. */
  readonly sets: readonly ReplicaSet[];
  /** Whether pods of the ReplicaSets with these uids may still run. */
  readonly hasOldPods: (uids: readonly string[]) => boolean;
}

/**
 * One synchronization of a Deployment: the next step of its rollout. Keeps the newest state of the objects that it writes, so that a step can write one
 * twice. Source: k8s.io/kubernetes/pkg/controller/deployment/{sync,rolling,recreate,rollback}.go.
 */
export class RolloutSync {
  readonly #client: RestClient;
  readonly #recorder: EventRecorder;
  readonly #hasOldPods: RolloutOptions['hasOldPods'];
  readonly #namespace: string;
  #deployment: Deployment;
  #sets: ReadonlyMap<string, ReplicaSet>;

  constructor({ client, recorder, deployment, sets, hasOldPods }: RolloutOptions) {
    this.#client = client;
    this.#recorder = recorder;
    this.#deployment = deployment;
    this.#sets = new Map(sets.map((set) => [set.metadata.uid ?? '', set]));
    this.#hasOldPods = hasOldPods;
    this.#namespace = deployment.metadata.namespace ?? '';
  }

  /** The Deployment after the writes. */
  get deployment(): Deployment {
    return this.#deployment;
  }

  /** Returns the status if it was up to date during a rollout, which may then be waiting for its deadline; otherwise undefined. */
  async run(): Promise<DeploymentStatus | undefined> {
    if (this.#deployment.metadata.deletionTimestamp !== undefined) {
      await this.#adjustRevision();
      return this.#writeStatus(deploymentStatus(this.#deployment, this.#found()));
    }
    const conditions = pauseConditions(this.#deployment);
    if (conditions !== undefined) await this.#updateStatus({ ...this.#deployment.status, conditions: [...conditions] });
    if (this.#deployment.spec?.paused === true) return this.#scale();
    if (this.#rollbackTarget() !== undefined) return this.#rollBack();
    await this.#adjustRevision();
    if (isScaled(this.#deployment, allSets(this.#found()))) return this.#scale();
    return this.#deployment.spec?.strategy?.type === 'Recreate' ? this.#recreate() : this.#roll();
  }

  #found(): ReplicaSetsOfDeployment {
    return sortReplicaSets(this.#deployment, [...this.#sets.values()]);
  }

  /** Follows a change of the replicas; also what a paused Deployment does. */
  async #scale(): Promise<undefined> {
    await this.#adjustRevision();
    await this.#apply(scaleToReplicas(this.#deployment, this.#found()));
    if (this.#deployment.spec?.paused === true && this.#rollbackTarget() === undefined) await this.#cleanUp();
    await this.#writeStatus(deploymentStatus(this.#deployment, this.#found()));
  }

  async #roll(): Promise<DeploymentStatus | undefined> {
    const current = await this.#ensureCurrent();
    const grown = await this.#apply(scaleCurrent(this.#deployment, current, allSets(this.#found())));
    if (!grown) {
      const shrunk = await this.#apply(scaleOld(this.#deployment, current, this.#found().old));
      if (!shrunk && isComplete(this.#deployment, this.#deployment.status)) await this.#cleanUp();
    }
    return this.#writeRolloutStatus();
  }

  async #recreate(): Promise<DeploymentStatus | undefined> {
    const { old } = this.#found();
    if (await this.#apply(scaleOldToZero(old))) return this.#writeRolloutStatus();
    const hasReplicas = old.some(({ status }) => (status?.replicas ?? 0) > 0);
    if (hasReplicas || this.#hasOldPods(old.map(({ metadata }) => metadata.uid ?? '')))
      return this.#writeRolloutStatus();
    const current = await this.#ensureCurrent();
    const replicas = desiredReplicas(this.#deployment);
    if (sizeOf(current) !== replicas) await this.#apply([{ set: current, replicas }]);
    if (isComplete(this.#deployment, this.#deployment.status)) await this.#cleanUp();
    return this.#writeRolloutStatus();
  }

  /** Gives the ReplicaSet with the current template the highest revision, and the Deployment the revision of that ReplicaSet. */
  async #adjustRevision(): Promise<void> {
    const { current, old } = this.#found();
    if (current === undefined) return;
    const before = current.metadata.annotations ?? {};
    const annotations = currentAnnotations(this.#deployment, before, maxRevision(old) + 1n);
    const minReadySeconds = this.#deployment.spec?.minReadySeconds ?? 0;
    if (!deepEqual(annotations, before) || (current.spec?.minReadySeconds ?? 0) !== minReadySeconds) {
      await this.#updateSet({
        ...current,
        metadata: { ...current.metadata, annotations: { ...annotations } },
        spec: { ...current.spec, minReadySeconds },
      });
      return;
    }
    const conditions = this.#deployment.status?.conditions ?? [];
    const isNoticed = !hasProgressDeadline(this.#deployment) || findCondition(conditions, 'Progressing') !== undefined;
    const found = `Found new replica set "${current.metadata.name}"`;
    const noticed = isNoticed
      ? conditions
      : setCondition(conditions, newCondition('Progressing', 'True', 'FoundNewReplicaSet', found));
    await this.#setRevision(annotations[revisionAnnotation] ?? '', {
      ...this.#deployment.status,
      conditions: [...noticed],
    });
  }

  /** The ReplicaSet with the current template, which is created if it does not exist. */
  async #ensureCurrent(): Promise<ReplicaSet> {
    const { current, old } = this.#found();
    if (current !== undefined) return current;
    const revision = String(maxRevision(old) + 1n);
    const wanted = newReplicaSet(this.#deployment, old, controllerReference(deploymentKind, this.#deployment));
    const { created, isNew } = await this.#createSet(wanted);
    const size = sizeOf(created);
    if (isNew && size > 0)
      this.#event('Normal', 'ScalingReplicaSet', `Scaled up replica set ${created.metadata.name} from 0 to ${size}`);
    const conditions = this.#deployment.status?.conditions ?? [];
    const message = `Created new replica set "${created.metadata.name}"`;
    const progressing = newCondition('Progressing', 'True', 'NewReplicaSetCreated', message);
    const isReported = isNew && hasProgressDeadline(this.#deployment);
    await this.#setRevision(revision, {
      ...this.#deployment.status,
      conditions: [...(isReported ? setCondition(conditions, progressing) : conditions)],
    });
    return created;
  }

  async #createSet(wanted: ReplicaSet): Promise<{ created: ReplicaSet; isNew: boolean }> {
    const ref = { ...replicaSetsOf, namespace: this.#namespace };
    const { name = '' } = wanted.metadata;
    try {
      const created = await this.#client.create(ref, wanted);
      this.#keep(created);
      return { created, isNew: true };
    } catch (error) {
      if (isStatusError(error, 'AlreadyExists')) {
        const existing = await this.#client.get(ref, name);
        const isOurs = controllerOf(existing)?.uid === this.#deployment.metadata.uid;
        if (isOurs && equalTemplates(existing.spec?.template, this.#deployment.spec?.template)) {
          this.#keep(existing);
          return { created: existing, isNew: false };
        }
        // Another template has the same hash. The next attempt has another one.
        const { status } = this.#deployment;
        await this.#updateStatus({ ...status, collisionCount: (status?.collisionCount ?? 0) + 1 });
      } else if (!isNamespaceTerminating(error)) await this.#reportFailedCreation(name, error);
      throw error;
    }
  }

  async #reportFailedCreation(name: string, error: unknown): Promise<void> {
    const message = `Failed to create new replica set "${name}": ${errorMessage(error)}`;
    this.#event('Warning', 'ReplicaSetCreateError', message);
    if (!hasProgressDeadline(this.#deployment)) return;
    const condition = newCondition('Progressing', 'False', 'ReplicaSetCreateError', message);
    const conditions = [...setCondition(this.#deployment.status?.conditions ?? [], condition)];
    await this.#updateStatus({ ...this.#deployment.status, conditions });
  }

  /** Scales ReplicaSets one after the other. Returns whether a size has changed. */
  async #apply(scalings: readonly Scaling[]): Promise<boolean> {
    let isChanged = false;
    for (const { set, replicas, isForced } of scalings) {
      const present = this.#sets.get(set.metadata.uid ?? '') ?? set;
      const before = sizeOf(present);
      const annotations = { ...present.metadata.annotations, ...sizeAnnotations(this.#deployment) };
      if (before === replicas && (isForced !== true || deepEqual(annotations, present.metadata.annotations))) continue;
      const { name } = await this.#updateSet({
        ...present,
        metadata: { ...present.metadata, annotations },
        spec: { ...present.spec, replicas },
      });
      if (before === replicas) continue;
      isChanged = true;
      const direction = before < replicas ? 'up' : 'down';
      const message = `Scaled ${direction} replica set ${name} from ${before} to ${replicas}`;
      this.#event('Normal', 'ScalingReplicaSet', message);
    }
    return isChanged;
  }

  /** Deletes ReplicaSets with former templates beyond the limit of the history. */
  async #cleanUp(): Promise<void> {
    for (const { metadata } of surplusSets(this.#deployment, this.#found().old)) {
      try {
        await this.#client.delete({ ...replicaSetsOf, namespace: this.#namespace }, metadata.name ?? '');
      } catch (error) {
        if (!isStatusError(error, 'NotFound')) throw error;
      }
    }
  }

  /** The revision in the annotation that asks for a rollback; 0 is the last one. */
  #rollbackTarget(): bigint | undefined {
    return parseRevision(this.#deployment.metadata.annotations?.[rollbackToAnnotation] ?? '');
  }

  async #rollBack(): Promise<undefined> {
    await this.#adjustRevision();
    await this.#ensureCurrent();
    const sets = allSets(this.#found());
    const wanted = this.#rollbackTarget() ?? 0n;
    const revision = wanted === 0n ? lastRevision(sets) : wanted;
    const target = sets.find((set) => revisionOf(set) === revision);
    const deployment = this.#deployment;
    const { name, annotations = {} } = deployment.metadata;
    if (revision === 0n || target === undefined) {
      const message = revision === 0n ? 'Unable to find last revision.' : 'Unable to find the revision to rollback to.';
      this.#event('Warning', 'DeploymentRollbackRevisionNotFound', message);
      return this.#finishRollback(annotations);
    }
    if (equalTemplates(target.spec?.template, deployment.spec?.template)) {
      const message = `The rollback revision contains the same template as current deployment "${name}"`;
      this.#event('Warning', 'DeploymentRollbackTemplateUnchanged', message);
      return this.#finishRollback(annotations);
    }
    const restored = annotationsAfterRollback(annotations, target.metadata.annotations ?? {});
    await this.#finishRollback(restored, withoutTemplateHash(target.spec?.template ?? {}));
    this.#event('Normal', 'DeploymentRollback', `Rolled back deployment "${name}" to revision ${revision}`);
  }

  async #finishRollback(
    { [rollbackToAnnotation]: _, ...annotations }: Readonly<Record<string, string>>,
    template = this.#deployment.spec?.template,
  ): Promise<undefined> {
    const { metadata, spec } = this.#deployment;
    const ref = { ...deploymentKind.resource, namespace: this.#namespace };
    this.#deployment = await this.#client.update(ref, {
      ...this.#deployment,
      metadata: { ...metadata, annotations },
      spec: { ...spec, ...(template && { template }) },
    });
  }

  async #writeRolloutStatus(): Promise<DeploymentStatus | undefined> {
    return this.#writeStatus(rolloutStatus(this.#deployment, this.#found(), currentTime()));
  }

  /** Writes the status if it has changed. Returns it if not. */
  async #writeStatus(status: DeploymentStatus): Promise<DeploymentStatus | undefined> {
    if (semanticEqual(this.#deployment.status, status)) return status;
    await this.#updateStatus(status);
    return undefined;
  }

  async #setRevision(revision: string, status: DeploymentStatus): Promise<void> {
    const { annotations } = this.#deployment.metadata;
    const hasRevision = annotations?.[revisionAnnotation] === revision;
    if (hasRevision && semanticEqual(this.#deployment.status, status)) return;
    await this.#updateStatus(status, { ...annotations, [revisionAnnotation]: revision });
  }

  /** The status subresource of Deployments writes annotations too. */
  async #updateStatus(status: DeploymentStatus, annotations = this.#deployment.metadata.annotations): Promise<void> {
    this.#deployment = await this.#client.update(
      { ...deploymentKind.resource, namespace: this.#namespace },
      { ...this.#deployment, metadata: { ...this.#deployment.metadata, ...(annotations && { annotations }) }, status },
      { subresource: 'status' },
    );
  }

  async #updateSet(set: ReplicaSet): Promise<{ readonly name: string }> {
    const updated = await this.#client.update({ ...replicaSetsOf, namespace: this.#namespace }, set);
    this.#keep(updated);
    return { name: updated.metadata.name ?? '' };
  }

  #keep(set: ReplicaSet): void {
    this.#sets = new Map(this.#sets).set(set.metadata.uid ?? '', set);
  }

  #event(type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#recorder.event(this.#deployment, type, reason, message);
  }
}
