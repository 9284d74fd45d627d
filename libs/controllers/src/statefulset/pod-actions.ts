import type { StatefulSet } from '@apichain/api/apps/v1';
import type { PersistentVolumeClaim, Pod } from '@apichain/api/core/v1';
import type { EventRecorder, RestClient } from '@apichain/client';
import { errorMessage, isStatusError } from '@apichain/meta';
import { claims as claimResource, pods as podResource } from '../resources.ts';
import { claimOwners, hasOtherController } from './claim-owners.ts';
import { claimName, claimsOf, ordinalOf, withIdentity } from './identity.ts';
import type { Action } from './plan.ts';

/** The parts of `PodActions`. */
interface PodActionsOptions {
  readonly client: RestClient;
  readonly recorder: EventRecorder;
  readonly set: StatefulSet;
  readonly claim: (name: string) => PersistentVolumeClaim | undefined;
  /** Called with each pod that was written. */
  readonly onWrite: (pod: Pod) => void;
}

/** Does what a plan says about pods and their claims, and records Events about the StatefulSet. */
export class PodActions {
  readonly #options: PodActionsOptions;
  readonly #namespace: string;

  constructor(options: PodActionsOptions) {
    this.#options = options;
    this.#namespace = options.set.metadata.namespace ?? '';
  }

  /** Throws the error of the write that failed. */
  run({ type, pod }: Action): Promise<void> {
    switch (type) {
      case 'create':
        return this.#create(pod);
      case 'delete':
        return this.#recorded('Delete', pod, () => this.#delete(pod));
      case 'createClaims':
        return this.#completeClaims(pod);
      case 'repair':
        return this.#recorded('Update', pod, () => this.#repair(pod));
      case 'setClaimOwners':
        return this.#setClaimOwners(pod);
    }
  }

  async #create(pod: Pod): Promise<void> {
    const { client, onWrite } = this.#options;
    try {
      await this.#createClaims(pod);
      const created = await client.create({ ...podResource, namespace: this.#namespace }, pod);
      onWrite(created);
      await this.#setClaimOwners(created);
    } catch (error) {
      // The informer is behind.
      if (!isStatusError(error, 'AlreadyExists')) this.#podEvent('Create', pod, error);
      throw error;
    }
    this.#podEvent('Create', pod);
  }

  async #delete({ metadata }: Pod): Promise<void> {
    try {
      await this.#options.client.delete({ ...podResource, namespace: this.#namespace }, metadata.name ?? '');
    } catch (error) {
      if (!isStatusError(error, 'NotFound')) throw error;
    }
  }

  async #repair(pod: Pod): Promise<void> {
    const { client, set, onWrite } = this.#options;
    await this.#completeClaims(pod);
    onWrite(await client.update({ ...podResource, namespace: this.#namespace }, withIdentity(set, pod)));
  }

  async #completeClaims(pod: Pod): Promise<void> {
    await this.#createClaims(pod);
    await this.#setClaimOwners(pod);
  }

  async #createClaims(pod: Pod): Promise<void> {
    const { client, set, claim } = this.#options;
    for (const wanted of claimsOf(set, ordinalOf(pod))) {
      const { name = '' } = wanted.metadata;
      const present = claim(name);
      if (present?.metadata.deletionTimestamp !== undefined) throw new Error(`pvc ${name} is being deleted`);
      if (present !== undefined) continue;
      try {
        const ownerReferences = claimOwners(set, wanted, pod);
        const metadata = { ...wanted.metadata, ...(ownerReferences && { ownerReferences }) };
        await client.create({ ...claimResource, namespace: this.#namespace }, { ...wanted, metadata });
        this.#claimEvent(pod, name);
      } catch (error) {
        if (isStatusError(error, 'AlreadyExists')) continue;
        this.#claimEvent(pod, name, error);
        throw new Error(`failed to create PVC ${name}: ${errorMessage(error)}`, { cause: error });
      }
    }
  }

  /** Makes the owners of the claims those of the retention policy. */
  async #setClaimOwners(pod: Pod): Promise<void> {
    const { client, recorder, set, claim } = this.#options;
    for (const template of set.spec?.volumeClaimTemplates ?? []) {
      const name = claimName(set, template, ordinalOf(pod));
      const present = claim(name);
      if (present === undefined) continue;
      if (hasOtherController(set, present, pod)) {
        const message = `PersistentVolumeClaim ${name} has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim`;
        recorder.event(set, 'Warning', 'ConflictingController', message);
      }
      const ownerReferences = claimOwners(set, present, pod);
      if (ownerReferences === undefined) continue;
      const ref = { ...claimResource, namespace: this.#namespace };
      await client.update(ref, { ...present, metadata: { ...present.metadata, ownerReferences } });
    }
  }

  async #recorded(verb: 'Delete' | 'Update', pod: Pod, action: () => Promise<void>): Promise<void> {
    try {
      await action();
    } catch (error) {
      this.#podEvent(verb, pod, error);
      throw error;
    }
    this.#podEvent(verb, pod);
  }

  #podEvent(verb: 'Create' | 'Delete' | 'Update', { metadata }: Pod, error?: unknown): void {
    const { recorder, set } = this.#options;
    const what = `${verb} Pod ${metadata.name} in StatefulSet ${set.metadata.name}`;
    if (error === undefined) recorder.event(set, 'Normal', `Successful${verb}`, `${what} successful`);
    else recorder.event(set, 'Warning', `Failed${verb}`, `${what} failed error: ${errorMessage(error)}`);
  }

  #claimEvent({ metadata }: Pod, name: string, error?: unknown): void {
    const { recorder, set } = this.#options;
    const where = `Pod ${metadata.name} in StatefulSet ${set.metadata.name}`;
    if (error === undefined) recorder.event(set, 'Normal', 'SuccessfulCreate', `Create Claim ${name} ${where} success`);
    else
      recorder.event(
        set,
        'Warning',
        'FailedCreate',
        `Create Claim ${name} for ${where} failed error: ${errorMessage(error)}`,
      );
  }
}
