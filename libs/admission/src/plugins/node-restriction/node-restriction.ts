import type { TokenRequest } from '@apichain/api/authentication/v1';
import type { CertificateSigningRequest } from '@apichain/api/certificates/v1';
import type { Node, PersistentVolumeClaim, Pod } from '@apichain/api/core/v1';
import type { ResourceSlice } from '@apichain/api/resource/v1';
import { requestedCommonName } from '@apichain/authn';
import { nodeOf, type Authorizer } from '@apichain/authz';
import { errorMessage, newNotFound, semanticEqual, type KubeObject, isSet } from '@apichain/meta';
import { goQuote } from '@apichain/go-text';
import { forbidden } from '../../forbidden.ts';
import { lookedUp, type ObjectLookup } from '../../object-lookup.ts';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from '../../plugin.ts';
import { podSpec } from '../../pod-fields.ts';
import { forbiddenLabelChanges } from './node-labels.ts';
import { podCertificateProblem } from './pod-certificate.ts';
import { mirrorPodProblem, podStatusProblem, referencedObjects } from './pod-rules.ts';
import { audienceProblem } from './token-audience.ts';

const leaseNamespace = 'kube-node-lease';
const objectName = ({ name, object }: AdmissionAttributes) => (name === '' ? (object?.metadata.name ?? '') : name);

/** Feature gates that change what nodes may do, and what a refusal needs of the server. */
export interface NodeRestrictionOptions {
  /** `ServiceAccountNodeAudienceRestriction`, on by default: tokens only for the audiences that pods of the node need. */
  readonly restrictsAudiences?: boolean;
  /** `AllowInsecureKubeletCertificateSigningRequests`: certificate requests may name another node. */
  readonly allowsAnyCertificateRequest?: boolean;
  /** `PodCertificateRequest`: nodes may request certificates for their pods. */
  readonly certifiesPods?: boolean;
  /** What a refused change of a claim's status is, at the end of the refusal. */
  readonly claimDifference?: (old: PersistentVolumeClaim, claim: PersistentVolumeClaim) => string;
}

/**
 * Limits a kubelet to its own Node, the pods bound to that node, and its lease.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#noderestriction
 */
export class NodeRestriction implements AdmissionPlugin {
  readonly name = 'NodeRestriction';
  readonly handles: ReadonlySet<AdmissionOperation> = new Set(['CREATE', 'UPDATE', 'DELETE']);
  readonly #lookup: ObjectLookup;
  readonly #authorizer: Authorizer;
  readonly #options: NodeRestrictionOptions;

  constructor(lookup: ObjectLookup, authorizer: Authorizer, options: NodeRestrictionOptions = {}) {
    this.#lookup = lookup;
    this.#authorizer = authorizer;
    this.#options = options;
  }

  async admit(attributes: AdmissionAttributes): Promise<void> {
    const { user } = attributes;
    const nodeName = nodeOf(user);
    if (nodeName === undefined) return;
    if (nodeName === '') throw forbidden(attributes, `could not determine node from user ${goQuote(user.name)}`);
    const problem = await this.#problem(attributes, nodeName);
    if (problem !== undefined) throw forbidden(attributes, problem);
  }

  #problem(attributes: AdmissionAttributes, nodeName: string): Promise<string | undefined> | string | undefined {
    const { resource, subresource } = attributes;
    switch (`${resource.group}/${resource.resource}`) {
      case '/pods':
        return this.#podProblem(attributes, nodeName);
      case '/nodes':
        return nodeProblem(attributes, nodeName);
      case '/persistentvolumeclaims':
        return subresource === 'status' ? this.#claimProblem(attributes, nodeName) : 'may only update PVC status';
      case '/serviceaccounts':
        return subresource === 'token' ? this.#tokenProblem(attributes, nodeName) : undefined;
      case 'coordination.k8s.io/leases':
        return leaseProblem(attributes, nodeName);
      case 'storage.k8s.io/csinodes':
        return objectName(attributes) === nodeName
          ? undefined
          : 'can only access CSINode with the same name as the requesting node';
      case 'resource.k8s.io/resourceslices':
        return sliceProblem(attributes, nodeName);
      case 'certificates.k8s.io/certificatesigningrequests':
        return this.#options.allowsAnyCertificateRequest === true ? undefined : requestProblem(attributes, nodeName);
      case 'certificates.k8s.io/podcertificaterequests':
        return this.#options.certifiesPods === true
          ? podCertificateProblem(attributes, nodeName, this.#lookup)
          : 'PodCertificateRequest feature gate is disabled';
      default:
        return undefined;
    }
  }

  #podProblem(attributes: AdmissionAttributes, nodeName: string): Promise<string | undefined> | string | undefined {
    const { operation, subresource, object, oldObject } = attributes;
    if (subresource === 'status' && object !== undefined && oldObject !== undefined) {
      return podStatusProblem(object, oldObject, nodeName);
    }
    if (subresource === 'eviction') return this.#evictionProblem(attributes, nodeName);
    if (subresource !== '') {
      return `unexpected pod subresource ${goQuote(subresource)}, only 'status' and 'eviction' are allowed`;
    }
    if (operation === 'CREATE' && object !== undefined) return this.#creationProblem(object, nodeName);
    if (operation === 'DELETE') {
      return (podSpec(oldObject).nodeName ?? '') === nodeName
        ? undefined
        : `node ${goQuote(nodeName)} can only delete pods with spec.nodeName set to itself`;
    }
    return `unexpected operation ${goQuote(operation)}, node ${goQuote(nodeName)} can only create and delete mirror pods`;
  }

  async #creationProblem(pod: KubeObject, nodeName: string): Promise<string | undefined> {
    const problem = mirrorPodProblem(pod, nodeName);
    if (problem !== undefined) return problem;
    const node = await this.#lookup.get(lookedUp.nodes, '', nodeName);
    if (node === undefined) throw newNotFound({ group: '', resource: 'node' }, nodeName);
    const uid = pod.metadata.ownerReferences?.[0]?.uid ?? '';
    const expected = node.metadata.uid ?? '';
    // kube-apiserver's message calls the pod's value "expected".
    if (uid !== expected) return `node ${nodeName} UID mismatch: expected ${uid} got ${expected}`;
    const referenced = referencedObjects(pod);
    return referenced === undefined
      ? undefined
      : `node ${goQuote(nodeName)} can not create pods that reference ${referenced}`;
  }

  async #evictionProblem(attributes: AdmissionAttributes, nodeName: string): Promise<string | undefined> {
    const pod = await this.#pod(attributes.namespace, objectName(attributes));
    return (podSpec(pod).nodeName ?? '') === nodeName
      ? undefined
      : `node ${nodeName} can only evict pods with spec.nodeName set to itself`;
  }

  async #tokenProblem(attributes: AdmissionAttributes<TokenRequest>, nodeName: string): Promise<string | undefined> {
    const { namespace, object } = attributes;
    const { apiVersion, kind, name, uid } = object?.spec?.boundObjectRef ?? {};
    if (apiVersion !== 'v1' || kind !== 'Pod' || (name ?? '') === '') return 'node requested token not bound to a pod';
    if ((uid ?? '') === '') return 'node requested token with a pod binding without a uid';
    const pod = await this.#pod(namespace, name ?? '');
    if (uid !== pod.metadata.uid) {
      return `the UID in the bound object reference (${uid ?? ''}) does not match the UID in record. The object might have been deleted and then recreated`;
    }
    if ((podSpec(pod).nodeName ?? '') !== nodeName)
      return 'node requested token bound to a pod scheduled on a different node';
    if (this.#options.restrictsAudiences === false) return undefined;
    return audienceProblem(attributes, pod, this.#lookup, this.#authorizer);
  }

  #claimProblem(
    { object, oldObject }: AdmissionAttributes<PersistentVolumeClaim>,
    nodeName: string,
  ): string | undefined {
    if (object === undefined || oldObject === undefined) return undefined;
    const [claim, old] = [beyondReports(object), beyondReports(oldObject)];
    if (semanticEqual(claim, old)) return undefined;
    const problem = `node ${goQuote(nodeName)} is not allowed to update fields other than status.quantity and status.conditions`;
    const { claimDifference } = this.#options;
    return claimDifference === undefined ? problem : `${problem}: ${claimDifference(old, claim)}`;
  }

  async #pod(namespace: string, name: string): Promise<Pod> {
    const pod = await this.#lookup.get(lookedUp.pods, namespace, name);
    // The pod lister of kube-apiserver names the resource `pod` in its error.
    if (pod === undefined) throw newNotFound({ group: '', resource: 'pod' }, name);
    return pod;
  }
}

function nodeProblem(attributes: AdmissionAttributes<Node>, nodeName: string): string | undefined {
  const { operation, object, oldObject } = attributes;
  const node = goQuote(nodeName);
  if (objectName(attributes) !== nodeName) {
    return `node ${node} is not allowed to modify node ${goQuote(objectName(attributes))}`;
  }
  if (operation === 'DELETE') return undefined;
  const labels = forbiddenLabelChanges(object?.metadata.labels, oldObject?.metadata.labels);
  const { configSource } = object?.spec ?? {};
  if (operation === 'CREATE') {
    if (isSet(configSource)) return `node ${node} is not allowed to create pods with a non-nil configSource`;
    if (labels.length === 0) return undefined;
    return `node ${node} is not allowed to set the following labels: ${labels.join(', ')}`;
  }
  if (isSet(configSource) && !semanticEqual(configSource, oldObject?.spec?.configSource)) {
    return `node ${node} is not allowed to update configSource to a new non-nil configSource`;
  }
  if (!semanticEqual(object?.spec?.taints, oldObject?.spec?.taints)) {
    return `node ${node} is not allowed to modify taints`;
  }
  if (!semanticEqual(object?.metadata.ownerReferences, oldObject?.metadata.ownerReferences)) {
    return `node ${node} is not allowed to modify ownerReferences`;
  }
  return labels.length === 0 ? undefined : `is not allowed to modify labels: ${labels.join(', ')}`;
}

function leaseProblem(attributes: AdmissionAttributes, nodeName: string): string | undefined {
  if (attributes.namespace !== leaseNamespace) {
    return `can only access leases in the ${goQuote(leaseNamespace)} system namespace`;
  }
  return objectName(attributes) === nodeName
    ? undefined
    : 'can only access node lease with the same name as the requesting node';
}

/** Updates are checked by the Node authorizer, which finds the node of the slice. */
function sliceProblem(
  { operation, object, oldObject }: AdmissionAttributes<ResourceSlice>,
  nodeName: string,
): string | undefined {
  if (operation !== 'CREATE' && operation !== 'DELETE') return undefined;
  const slice = operation === 'CREATE' ? object : oldObject;
  if ((slice?.spec?.nodeName ?? '') === nodeName) return undefined;
  return `can only ${operation.toLowerCase()} ResourceSlice with the same NodeName as the requesting node`;
}

const nodeSigners: ReadonlySet<unknown> = new Set([
  'kubernetes.io/kubelet-serving',
  'kubernetes.io/kube-apiserver-client-kubelet',
]);

/** A kubelet may request node certificates only with its own name. */
function requestProblem(
  { operation, object }: AdmissionAttributes<CertificateSigningRequest>,
  nodeName: string,
): string | undefined {
  const { signerName, request } = object?.spec ?? {};
  if (operation !== 'CREATE' || !nodeSigners.has(signerName)) return undefined;
  const wanted = `system:node:${nodeName}`;
  try {
    const asked = requestedCommonName(Buffer.from(request ?? '', 'base64').toString('latin1'));
    return asked === wanted ? undefined : `can only create a node CSR with CN=${wanted}`;
  } catch (error) {
    return `unable to parse csr: ${errorMessage(error)}`;
  }
}

const reported: ReadonlySet<string> = new Set([
  'capacity',
  'conditions',
  'allocatedResourceStatuses',
  'allocatedResources',
]);
const bookkeeping: ReadonlySet<string> = new Set(['resourceVersion', 'managedFields']);
const without = (object: object, names: ReadonlySet<string>) =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.has(name)));

/** What remains of a claim without the fields with which a node reports a volume's size and the progress of its resizing. */
const beyondReports = (claim: PersistentVolumeClaim): PersistentVolumeClaim => ({
  ...claim,
  metadata: without(claim.metadata, bookkeeping),
  status: without(claim.status ?? {}, reported),
});
