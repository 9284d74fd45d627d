import type { PodCertificateRequest } from '@apichain/api/certificates/v1beta1';
import type { Pod } from '@apichain/api/core/v1';
import { goQuote } from '@apichain/go-text';
import { newUnknownError, type GroupResource, type KubeObject } from '@apichain/meta';
import { lookedUp, type ObjectLookup } from '../../object-lookup.ts';
import type { AdmissionAttributes } from '../../plugin.ts';
import { podSpec } from '../../pod-fields.ts';
import { mirrorAnnotation } from './pod-rules.ts';

/**
 * Why a node may not request a certificate for a pod: the request must name the node itself, and a pod that runs on it with its service account.
 * What the cache may not know yet is not a refusal: throws a 500 StatusError, so that the kubelet asks again.
 * https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/#pod-certificate-requests
 */
export async function podCertificateProblem(
  { operation, subresource, namespace, object }: AdmissionAttributes<PodCertificateRequest>,
  nodeName: string,
  lookup: ObjectLookup,
): Promise<string | undefined> {
  if (operation !== 'CREATE') return `unexpected operation ${operation}`;
  if (subresource !== '') return `unexpected subresource ${subresource}`;
  const spec = object?.spec ?? {};
  const named = spec.nodeName ?? '';
  if (named !== nodeName)
    return `PodCertificateRequest.Spec.NodeName=${goQuote(named)}, which is not the requesting node ${goQuote(nodeName)}`;
  const podName = goQuote(`${namespace}/${spec.podName ?? ''}`);
  const request = `PodCertificateRequest for pod ${podName}`;

  const node = await existing(lookup, lookedUp.nodes, '', named, `node ${goQuote(named)}`);
  if (uidOf(node) !== (spec.nodeUID ?? ''))
    throw newUnknownError(
      `${request} names node UID ${goQuote(spec.nodeUID ?? '')}, inconsistent with the running node (${goQuote(uidOf(node))})`,
    );

  const pod: Pod = await existing(lookup, lookedUp.pods, namespace, spec.podName ?? '', `pod ${podName}`);
  if (uidOf(pod) !== (spec.podUID ?? ''))
    throw newUnknownError(
      `${request} contains pod UID (${goQuote(spec.podUID ?? '')}) which differs from running pod ${goQuote(uidOf(pod))}`,
    );
  const { nodeName: boundTo = '', serviceAccountName: runsAs = '' } = podSpec(pod);
  if (boundTo !== named)
    return `pod ${podName} is not running on node ${goQuote(named)} named in the PodCertificateRequest`;
  if (pod.metadata.annotations?.[mirrorAnnotation] !== undefined) return `pod ${podName} is a mirror pod`;

  const accountName = spec.serviceAccountName ?? '';
  if (accountName !== runsAs)
    return `${request} contains serviceAccountName (${goQuote(accountName)}) that differs from running pod (${goQuote(runsAs)})`;
  const what = `service account ${goQuote(`${namespace}/${accountName}`)}`;
  const account = await existing(lookup, lookedUp.serviceAccounts, namespace, accountName, what);
  if (uidOf(account) !== (spec.serviceAccountUID ?? ''))
    throw newUnknownError(
      `${request} names service account UID ${goQuote(spec.serviceAccountUID ?? '')}, which differs from the running service account (${goQuote(uidOf(account))})`,
    );
  return undefined;
}

const uidOf = ({ metadata }: KubeObject): string => metadata.uid ?? '';

/** The object that a request names. Throws a 500 StatusError when it is not known. `what` names it in the message. */
async function existing(
  lookup: ObjectLookup,
  resource: GroupResource,
  namespace: string,
  name: string,
  what: string,
): Promise<KubeObject> {
  const object = await lookup.get(resource, namespace, name);
  if (object !== undefined) return object;
  // The listers of kube-apiserver name the resource in the singular.
  const singular = resource.resource.slice(0, -1);
  throw newUnknownError(
    `while retrieving ${what} named in the PodCertificateRequest: ${singular} ${goQuote(name)} not found`,
  );
}
