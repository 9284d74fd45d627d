import type { PersistentVolume, PersistentVolumeClaim } from '@apichain/api/core/v1';
import { isStatusError } from '@apichain/meta';
import { volumes as volumesOf, claims as claimsOf } from '../resources.ts';
import { volumeUnbound } from './bound-objects.ts';
import type { Notice } from './claim-plan.ts';
import type { BinderParts } from './claim-sync.ts';
import { planReclaim, planVolume } from './volume-plan.ts';

/** Plans for volumes, and carries the plans out. */
export class VolumeSync {
  readonly #parts: BinderParts;

  constructor(parts: BinderParts) {
    this.#parts = parts;
  }

  async sync(name: string): Promise<void> {
    const { client, volumes, recorder, lookAtClaim } = this.#parts;
    const volume = volumes.get(name);
    if (volume === undefined) return;
    const claim = await this.#claimOf(volume);
    const plan = planVolume(volume, claim);
    switch (plan.action) {
      case 'setPhase':
        await this.#setPhase(volume, plan.phase);
        return;
      case 'lookAtClaim':
        return lookAtClaim(`${claim?.metadata.namespace}/${claim?.metadata.name}`);
      case 'report':
        recorder.event(volume, 'Warning', 'VolumeMismatch', plan.onVolume);
        if (claim !== undefined) recorder.event(claim, 'Warning', 'VolumeMismatch', plan.onClaim);
        return;
      case 'unbind': {
        const free = volumes.wrote(await client.update<PersistentVolume>(volumesOf, volumeUnbound(volume)));
        await this.#setPhase(free, 'Available');
        return;
      }
      case 'release': {
        const { phase } = volume.status ?? {};
        const isKnown = phase === 'Released' || phase === 'Failed';
        await this.#reclaim(isKnown ? volume : await this.#setPhase(volume, 'Released'));
      }
    }
  }

  /**
   * The claim of a volume, if it has the uid of the reference. A claim that the informer does not know is looked for on the server, so that a volume is
   * never given away because the informer is late.
   */
  async #claimOf({ spec, status }: PersistentVolume): Promise<PersistentVolumeClaim | undefined> {
    const { namespace = '', name = '', uid = '' } = spec?.claimRef ?? {};
    if (uid === '') return undefined;
    const known = this.#parts.claims.get(`${namespace}/${name}`);
    if (known?.metadata.uid === uid) return known;
    const isReleased = status?.phase === 'Released' || status?.phase === 'Failed';
    if (known === undefined && isReleased) return undefined;
    try {
      const live = await this.#parts.client.get({ ...claimsOf, namespace }, name);
      return live.metadata.uid === uid ? live : undefined;
    } catch (error) {
      if (isStatusError(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  async #reclaim(volume: PersistentVolume): Promise<void> {
    const reclaim = planReclaim(volume);
    if (reclaim.action === 'fail') await this.#fail(volume, reclaim.notice);
    if (reclaim.action !== 'delete' || volume.metadata.deletionTimestamp !== undefined) return;
    const { name = '', uid, resourceVersion } = volume.metadata;
    try {
      await this.#parts.client.delete(volumesOf, name, { preconditions: { uid, resourceVersion } });
    } catch (error) {
      if (!isStatusError(error, 'NotFound')) throw error;
    }
  }

  async #fail(volume: PersistentVolume, { type, reason, message }: Notice): Promise<void> {
    if (volume.status?.phase === 'Failed') return;
    const failed = await this.#setPhase(volume, 'Failed', message);
    this.#parts.recorder.event(failed, type, reason, message);
  }

  async #setPhase(volume: PersistentVolume, phase: string, message?: string): Promise<PersistentVolume> {
    if (volume.status?.phase === phase) return volume;
    const { client, volumes } = this.#parts;
    const { message: _, ...rest } = volume.status ?? {};
    const status = { ...rest, phase, ...(message !== undefined && { message }) };
    return volumes.wrote(
      await client.update<PersistentVolume>(volumesOf, { ...volume, status }, { subresource: 'status' }),
    );
  }
}
