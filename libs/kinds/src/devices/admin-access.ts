import type { RegistryStore, Strategy } from '@apichain/apiserver';
import { field, newInvalid, type KubeObject } from '@apichain/meta';
import { at, records } from '../fields.ts';
import { storedObject } from '../stored-object.ts';

const label = 'resource.kubernetes.io/admin-access';
const detail = `admin access to devices requires the \`${label}: true\` label on the containing namespace`;
const kinds: Readonly<Record<string, string>> = {
  resourceclaims: 'ResourceClaim',
  resourceclaimtemplates: 'ResourceClaimTemplate',
};

const labelsOf = async (namespaces: RegistryStore, namespace: string): Promise<Record<string, string>> =>
  (await storedObject(namespaces, namespace))?.metadata.labels ?? {};

/** The requests of a claim, or of the claims that a template makes. */
const requestsOf = (object: KubeObject) =>
  records(at(object.spec, 'devices', 'requests') ?? at(object.spec, 'spec', 'devices', 'requests'));

/** What is wrong with a new object in a namespace with these labels. Throws Invalid. */
export async function checkAdminAccess(
  kind: string,
  object: KubeObject,
  labels: (namespace: string) => Promise<Readonly<Record<string, string>>>,
): Promise<void> {
  const wanting = requestsOf(object).flatMap((request, i) =>
    at(request, 'exactly', 'adminAccess') === true ? [i] : [],
  );
  if (wanting.length === 0 || (await labels(object.metadata.namespace ?? ''))[label] === 'true') return;
  const errors = wanting.map((i) => field.forbidden(`spec.devices.requests[${i}].exactly.adminAccess`, detail));
  throw newInvalid({ group: 'resource.k8s.io', kind }, object.metadata.name ?? '', errors);
}

/**
 * Claims on devices that others use take a namespace that is labelled for it. Undefined for other resources.
 * https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/#admin-access
 */
export function adminAccessHooks(
  plural: string,
  namespaces: () => RegistryStore,
): Pick<Strategy, 'beginCreate'> | undefined {
  const kind = kinds[plural];
  if (kind === undefined) return undefined;
  return {
    beginCreate: async (_ctx, object) => {
      await checkAdminAccess(kind, object, (namespace) => labelsOf(namespaces(), namespace));
      return () => undefined;
    },
  };
}
