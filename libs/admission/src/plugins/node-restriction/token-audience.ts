import type { Authorizer } from '@apichain/authz';
import { goQuote } from '@apichain/go-text';
import { type KubeObject } from '@apichain/meta';
import { isRecord, record, records, text, texts } from '../../fields.ts';
import { lookedUp, type ObjectLookup } from '../../object-lookup.ts';
import type { AdmissionAttributes } from '../../plugin.ts';
import { podSpec } from '../../pod-fields.ts';

/**
 * Why a node may not have a token for the audience: neither a volume of the pod needs one, nor is the node authorized to ask for it.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#noderestriction
 */
export async function audienceProblem(
  { user, namespace, name, object }: AdmissionAttributes,
  pod: KubeObject,
  lookup: ObjectLookup,
  authorizer: Authorizer,
): Promise<string | undefined> {
  const [audience = '', ...others] = texts(record(object?.spec).audiences);
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

async function podNeeds(pod: KubeObject, audience: string, lookup: ObjectLookup): Promise<boolean> {
  for (const volume of records(podSpec(pod).volumes)) {
    const projects = records(record(volume.projected).sources).some(
      ({ serviceAccountToken: token }) => isRecord(token) && text(token.audience) === audience,
    );
    if (projects) return true;
    const driver = await driverOf(volume, pod, lookup);
    if (driver === '') continue;
    const requests = records(record((await lookup.get(lookedUp.csiDrivers, '', driver))?.spec).tokenRequests);
    if (requests.some((request) => text(request.audience) === audience)) return true;
  }
  return false;
}

/** The CSI driver of a volume, its own or that of the PersistentVolume behind its claim; `''` = none. */
async function driverOf(
  volume: Readonly<Record<string, unknown>>,
  { metadata: { name = '', namespace = '' } }: KubeObject,
  lookup: ObjectLookup,
): Promise<string> {
  if (isRecord(volume.csi)) return text(volume.csi.driver);
  const claimName = isRecord(volume.ephemeral)
    ? `${name}-${text(volume.name)}`
    : text(record(volume.persistentVolumeClaim).claimName);
  if (claimName === '') return '';
  const claim = await lookup.get(lookedUp.persistentVolumeClaims, namespace, claimName);
  const volumeName = text(record(claim?.spec).volumeName);
  if (volumeName === '') return '';
  const persistent = await lookup.get(lookedUp.persistentVolumes, '', volumeName);
  return text(record(record(persistent?.spec).csi).driver);
}
