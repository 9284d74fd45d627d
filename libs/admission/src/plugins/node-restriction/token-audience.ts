import type { TokenRequest } from '@apichain/api/authentication/v1';
import type { PersistentVolume, PersistentVolumeClaim, Pod, Volume } from '@apichain/api/core/v1';
import type { CSIDriver } from '@apichain/api/storage/v1';
import type { Authorizer } from '@apichain/authz';
import { goQuote } from '@apichain/go-text';
import { isSet } from '@apichain/meta';
import { lookedUp, type ObjectLookup } from '../../object-lookup.ts';
import type { AdmissionAttributes } from '../../plugin.ts';
import { podSpec } from '../../pod-fields.ts';

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
  if (await podNeeds(pod, audience, lookup)) return undefined;
  const { decision } = await authorizer.authorize({
    user,
    verb: 'request-serviceaccounts-token-audience',
    isResourceRequest: true,
    path: '',
    apiGroup: '',
    apiVersion: '',
    resource: audience,
    subresource: '',
    namespace,
    name,
    fieldSelector: '',
    labelSelector: '',
  });
  if (decision === 'Allow') return undefined;
  return `audience ${goQuote(audience)} not found in pod spec volume, ${user.name} is not authorized to request tokens for this audience`;
}

async function podNeeds(pod: Pod, audience: string, lookup: ObjectLookup): Promise<boolean> {
  for (const volume of podSpec(pod).volumes ?? []) {
    const projects = (volume.projected?.sources ?? []).some(
      ({ serviceAccountToken: token }) => isSet(token) && (token.audience ?? '') === audience,
    );
    if (projects) return true;
    const driver = await driverOf(volume, pod, lookup);
    if (driver === '') continue;
    const found: CSIDriver | undefined = await lookup.get(lookedUp.csiDrivers, '', driver);
    const requests = found?.spec?.tokenRequests ?? [];
    if (requests.some((request) => (request.audience ?? '') === audience)) return true;
  }
  return false;
}

/** The CSI driver of a volume, or of the PersistentVolume bound to its claim; `''` = none. */
async function driverOf(
  volume: Volume,
  { metadata: { name = '', namespace = '' } }: Pod,
  lookup: ObjectLookup,
): Promise<string> {
  if (isSet(volume.csi)) return volume.csi.driver ?? '';
  const claimName = isSet(volume.ephemeral)
    ? `${name}-${volume.name ?? ''}`
    : (volume.persistentVolumeClaim?.claimName ?? '');
  if (claimName === '') return '';
  const claim: PersistentVolumeClaim | undefined = await lookup.get(
    lookedUp.persistentVolumeClaims,
    namespace,
    claimName,
  );
  const volumeName = claim?.spec?.volumeName ?? '';
  if (volumeName === '') return '';
  const persistent: PersistentVolume | undefined = await lookup.get(lookedUp.persistentVolumes, '', volumeName);
  return persistent?.spec?.csi?.driver ?? '';
}
