import type { TokenRequest } from '@apichain/api/authentication/v1';
import type { PersistentVolume, PersistentVolumeClaim, Pod, Volume, PersistentVolumeSpec } from '@apichain/api/core/v1';
import type { CSIDriver } from '@apichain/api/storage/v1';
import { resourceAttributes, type Authorizer } from '@apichain/authz';
import { goQuote } from '@apichain/go-text';
import { aggregateMessage, isSet, isStatusError, newNotFound } from '@apichain/meta';
import { lookedUp, type ObjectLookup } from '../../object-lookup.ts';
import type { AdmissionAttributes } from '../../plugin.ts';
import { podSpec } from '../../pod-fields.ts';

/** The CSI drivers that mount the volumes of former drivers in Kubernetes itself, by the field of their source. After k8s.io/csi-translation-lib. */
const migrated = {
  gcePersistentDisk: 'pd.csi.storage.gke.io',
  awsElasticBlockStore: 'ebs.csi.aws.com',
  cinder: 'cinder.csi.openstack.org',
  azureDisk: 'disk.csi.azure.com',
  azureFile: 'file.csi.azure.com',
  vsphereVolume: 'csi.vsphere.vmware.com',
  portworxVolume: 'pxd.portworx.com',
} as const;

/** The CSI driver that mounts a volume of a pod or a PersistentVolume; `''` = none. */
function csiDriverOf(source: Volume | PersistentVolumeSpec): string {
  if (isSet(source.csi)) return source.csi.driver ?? '';
  const fields = Object.keys(migrated) as (keyof typeof migrated)[];
  const field = fields.find((name) => isSet(source[name]));
  return field === undefined ? '' : migrated[field];
}

/**
 * Why a node may not request a token for the audience: no volume of the pod needs it, and the node is not authorized to request it.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#noderestriction
 */
export async function audienceProblem(
  { user, namespace, name, object }: AdmissionAttributes<TokenRequest>,
  pod: Pod,
  lookup: ObjectLookup,
  authorizer: Authorizer,
): Promise<string | undefined> {
  const [audience = '', ...others] = object?.spec?.audiences ?? [];
  if (others.length > 0) return 'node may only request 0 or 1 audiences';
  const { needed, missing } = await podNeeds(pod, audience, lookup);
  if (needed) return undefined;
  if (missing.length > 0) return `error validating audience ${goQuote(audience)}: ${aggregateMessage(missing)}`;
  const { decision, evaluationError } = await authorizer.authorize(
    resourceAttributes({
      user,
      verb: 'request-serviceaccounts-token-audience',
      apiVersion: 'v1',
      resource: audience,
      namespace,
      name,
    }),
  );
  if (decision === 'Allow') return undefined;
  const unneeded = `audience ${goQuote(audience)} not found in pod spec volume`;
  if (evaluationError !== undefined)
    return `${unneeded}, error authorizing ${user.name} to request tokens for this audience: ${evaluationError}`;
  return `${unneeded}, ${user.name} is not authorized to request tokens for this audience`;
}

/** Whether a volume of the pod needs the audience, and otherwise the objects that would tell, but do not exist. */
async function podNeeds(
  pod: Pod,
  audience: string,
  lookup: ObjectLookup,
): Promise<{ readonly needed: boolean; readonly missing: readonly string[] }> {
  const missing: string[] = [];
  for (const volume of podSpec(pod).volumes ?? []) {
    try {
      if (projects(volume, audience) || (await isMountedFor(volume, pod, audience, lookup)))
        return { needed: true, missing: [] };
    } catch (error) {
      if (!isStatusError(error, 'NotFound')) throw error;
      missing.push(error.message);
    }
  }
  return { needed: false, missing };
}

const projects = ({ projected }: Volume, audience: string): boolean =>
  (projected?.sources ?? []).some(
    ({ serviceAccountToken: token }) => isSet(token) && (token.audience ?? '') === audience,
  );

/** Whether the CSI driver of the volume asks for such tokens. Throws NotFound. */
async function isMountedFor(volume: Volume, pod: Pod, audience: string, lookup: ObjectLookup): Promise<boolean> {
  const name = await driverOf(volume, pod, lookup);
  if (name === '') return false;
  const driver: CSIDriver | undefined = await lookup.get(lookedUp.csiDrivers, '', name);
  if (driver === undefined) throw newNotFound({ group: 'storage.k8s.io', resource: 'csidriver' }, name);
  return (driver.spec?.tokenRequests ?? []).some((request) => (request.audience ?? '') === audience);
}

/** The CSI driver of a volume, or of the PersistentVolume bound to its claim; `''` = none. Throws NotFound. */
async function driverOf(
  volume: Volume,
  { metadata: { name = '', namespace = '' } }: Pod,
  lookup: ObjectLookup,
): Promise<string> {
  const claimName = isSet(volume.ephemeral?.volumeClaimTemplate)
    ? `${name}-${volume.name ?? ''}`
    : volume.persistentVolumeClaim?.claimName;
  if (claimName === undefined) return csiDriverOf(volume);
  const claim: PersistentVolumeClaim | undefined = await lookup.get(
    lookedUp.persistentVolumeClaims,
    namespace,
    claimName,
  );
  // The listers of kube-apiserver name the resource in the singular.
  if (claim === undefined) throw newNotFound({ group: '', resource: 'persistentvolumeclaim' }, claimName);
  const volumeName = claim.spec?.volumeName ?? '';
  const persistent: PersistentVolume | undefined =
    volumeName === '' ? undefined : await lookup.get(lookedUp.persistentVolumes, '', volumeName);
  if (persistent === undefined) throw newNotFound({ group: '', resource: 'persistentvolume' }, volumeName);
  return csiDriverOf(persistent.spec ?? {});
}
