import type { PersistentVolume, PersistentVolumeClaim } from '@apichain/api/core/v1';
import type { StorageClass } from '@apichain/api/storage/v1';
import type { EventRecorder, RestClient } from '@apichain/client';
import { storageAnnotations, volumeGivenTo } from '@apichain/component-helpers';
import { isStatusError } from '@apichain/meta';
import { volumes as volumesOf, claims as claimsOf } from '../resources.ts';
import { simulatedProvisioner } from '../volumes/provisioner.ts';
import { simulatedVolume } from '../volumes/simulated-provisioner.ts';
import { boundStatus, claimBoundTo, isSameStatus, unboundStatus, withAnnotations } from './bound-objects.ts';
import type { ClaimPlan, Notice } from './claim-plan.ts';
import type { Latest } from './latest.ts';

/** The provisioners that were part of Kubernetes once, and the CSI drivers that do their work. */
const migrated: ReadonlyMap<string, string> = new Map([
  ['kubernetes.io/aws-ebs', 'ebs.csi.aws.com'],
  ['kubernetes.io/azure-disk', 'disk.csi.azure.com'],
  ['kubernetes.io/azure-file', 'file.csi.azure.com'],
  ['kubernetes.io/cinder', 'cinder.csi.openstack.org'],
  ['kubernetes.io/gce-pd', 'pd.csi.storage.gke.io'],
  ['kubernetes.io/portworx-volume', 'pxd.portworx.com'],
  ['kubernetes.io/vsphere-volume', 'csi.vsphere.vmware.com'],
]);

/**
 * The external provisioner for the provisioner of a storage class; undefined for one that nobody is, such as `kubernetes.io/no-provisioner`.
 */
const externalProvisioner = (provisioner: string): string | undefined =>
  migrated.get(provisioner) ?? (provisioner.startsWith('kubernetes.io/') ? undefined : provisioner);

/** What the two halves of the binder work with. */
export interface BinderParts {
  readonly client: RestClient;
  readonly claims: Latest<PersistentVolumeClaim>;
  readonly volumes: Latest<PersistentVolume>;
  readonly recorder: EventRecorder;
  /** For events of the simulated provisioner. */
  readonly provisionerRecorder: EventRecorder;
  readonly className: (name: string) => StorageClass | undefined;
  /** Has a claim looked at, by its key. */
  readonly lookAtClaim: (key: string) => void;
}

/** Carries out plans for claims. */
export class ClaimSync {
  readonly #parts: BinderParts;

  constructor(parts: BinderParts) {
    this.#parts = parts;
  }

  async carryOut(claim: PersistentVolumeClaim, plan: ClaimPlan): Promise<void> {
    switch (plan.action) {
      case 'bind':
        return this.#bind(claim, plan.volume);
      case 'provision':
        return this.#provision(claim, plan.className);
      case 'setClass':
        await this.#update({ ...claim, spec: { ...claim.spec, storageClassName: plan.className } });
        return;
      case 'lose':
        if (claim.status?.phase === 'Lost') return;
        this.#report(await this.#setStatus(claim, unboundStatus(claim, 'Lost')), plan.notice);
        return;
      case 'wait': {
        if (plan.notice !== undefined) this.#report(claim, plan.notice);
        const { namespace, name } = claim.metadata;
        if (plan.isRefused === true)
          throw new Error(`invalid binding of claim ${namespace}/${name}: its volume has another claim`);
        await this.#setStatus(claim, unboundStatus(claim, 'Pending'));
      }
    }
  }

  /** Binds both to each other: the volume first, so that nobody else takes it. */
  async #bind(claim: PersistentVolumeClaim, volume: PersistentVolume): Promise<void> {
    const { client, volumes } = this.#parts;
    const bound = volumeGivenTo(volume, claim);
    const stored = bound === volume ? volume : volumes.wrote(await client.update<PersistentVolume>(volumesOf, bound));
    if (stored.status?.phase !== 'Bound') {
      const { message: _, ...status } = stored.status ?? {};
      const object = { ...stored, status: { ...status, phase: 'Bound' } };
      volumes.wrote(await client.update<PersistentVolume>(volumesOf, object, { subresource: 'status' }));
    }
    const named = claimBoundTo(claim, stored);
    const storedClaim = named === claim ? claim : await this.#update(named);
    await this.#setStatus(storedClaim, boundStatus(storedClaim, stored));
  }

  async #provision(claim: PersistentVolumeClaim, className: string): Promise<void> {
    const storageClass = this.#parts.className(className);
    const failed = (message: string) => this.#report(claim, { type: 'Warning', reason: 'ProvisioningFailed', message });
    if (storageClass === undefined) return failed(`storageclass.storage.k8s.io ${JSON.stringify(className)} not found`);
    const provisioner = externalProvisioner(storageClass.provisioner ?? '');
    if (provisioner === undefined) return failed(`no volume plugin matched name: ${storageClass.provisioner}`);
    const isAnnotated = claim.metadata.annotations?.[storageAnnotations.provisioner] === provisioner;
    const both = { [storageAnnotations.betaProvisioner]: provisioner, [storageAnnotations.provisioner]: provisioner };
    const annotated = isAnnotated ? claim : await this.#update(withAnnotations(claim, both));
    const message = `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`;
    this.#report(annotated, { type: 'Normal', reason: 'ExternalProvisioning', message });
    if (provisioner === simulatedProvisioner) await this.#simulate(annotated, storageClass);
  }

  /** Makes a volume for a claim as an external provisioner does, which the binder then finds. */
  async #simulate(claim: PersistentVolumeClaim, storageClass: StorageClass): Promise<void> {
    const { client, volumes, provisionerRecorder, lookAtClaim } = this.#parts;
    const key = `${claim.metadata.namespace}/${claim.metadata.name}`;
    const starting = `External provisioner is provisioning volume for claim ${JSON.stringify(key)}`;
    provisionerRecorder.event(claim, 'Normal', 'Provisioning', starting);
    try {
      const { metadata } = volumes.wrote(await client.create(volumesOf, simulatedVolume(claim, storageClass)));
      const done = `Successfully provisioned volume ${metadata.name}`;
      provisionerRecorder.event(claim, 'Normal', 'ProvisioningSucceeded', done);
    } catch (error) {
      if (!isStatusError(error, 'AlreadyExists')) throw error;
    }
    lookAtClaim(key);
  }

  #report(claim: PersistentVolumeClaim, { type, reason, message }: Notice): void {
    this.#parts.recorder.event(claim, type, reason, message);
  }

  async #update(claim: PersistentVolumeClaim): Promise<PersistentVolumeClaim> {
    const { client, claims } = this.#parts;
    return claims.wrote(await client.update<PersistentVolumeClaim>(refTo(claim), claim));
  }

  async #setStatus(
    claim: PersistentVolumeClaim,
    status: NonNullable<PersistentVolumeClaim['status']>,
  ): Promise<PersistentVolumeClaim> {
    if (isSameStatus(claim.status, status)) return claim;
    const { client, claims } = this.#parts;
    const object = { ...claim, status };
    return claims.wrote(await client.update<PersistentVolumeClaim>(refTo(claim), object, { subresource: 'status' }));
  }
}

const refTo = ({ metadata: { namespace = '' } }: PersistentVolumeClaim) => ({ ...claimsOf, namespace });
