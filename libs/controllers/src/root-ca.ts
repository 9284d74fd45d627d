import type { ConfigMap } from '@apichain/api/core/v1';
import { type KubeObject, isStatusError, isNamespaceGoing } from '@apichain/meta';
import { type ControllerContext, type Running, isActive, namespacesOf } from './context.ts';
import { controllerParts } from './controller-parts.ts';

const resource = { group: '', version: 'v1', resource: 'configmaps' };
const name = 'kube-root-ca.crt';
const descriptionAnnotation = 'kubernetes.io/description';
const description =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. ' +
  'No other usage is guaranteed across distributions of Kubernetes clusters.';

/**
 * Maintains a ConfigMap `kube-root-ca.crt` in every active namespace. It holds the certificate authority of the API server's certificate.
 * Source: https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/ (bound tokens)
 */
export function rootCaPublisher(context: ControllerContext): Running {
  const { client, rootCa } = context;
  const { queue, enqueue, informer, ownInformer, run } = controllerParts(
    context,
    'root-ca-certificate-publisher-controller',
  );
  const namespaces = informer(namespacesOf);
  const enqueueNamespace = ({ metadata }: KubeObject) => queue.add(metadata.namespace ?? '');
  const published = ownInformer({ resource, fieldSelector: `metadata.name=${name}` });
  published.addHandlers({ onUpdate: enqueueNamespace, onDelete: enqueueNamespace });
  namespaces.addHandlers({ onAdd: enqueue, onUpdate: enqueue });

  async function reconcile(namespace: string): Promise<void> {
    if (!isActive(namespaces.get(namespace))) return;
    const existing = published.get(`${namespace}/${name}`);
    if (existing !== undefined && isAsWanted(existing)) return;
    const ref = { ...resource, namespace };
    try {
      if (existing === undefined) await client.create(ref, wanted(namespace));
      else await client.update(ref, mended(existing));
    } catch (error) {
      if (!isStatusError(error, 'AlreadyExists') && !isNamespaceGoing(error)) throw error;
    }
  }

  function isAsWanted(existing: ConfigMap): boolean {
    const data = existing.data ?? {};
    const isDescribed = (existing.metadata.annotations?.[descriptionAnnotation] ?? '') !== '';
    return Object.keys(data).length === 1 && data['ca.crt'] === rootCa && isDescribed;
  }

  function wanted(namespace: string): KubeObject {
    const metadata = { name, namespace, annotations: { [descriptionAnnotation]: description } };
    return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { 'ca.crt': rootCa } };
  }

  function mended(existing: KubeObject): KubeObject {
    const annotations = { ...existing.metadata.annotations, [descriptionAnnotation]: description };
    return { ...existing, metadata: { ...existing.metadata, annotations }, data: { 'ca.crt': rootCa } };
  }

  return run(reconcile);
}
