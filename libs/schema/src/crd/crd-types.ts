import type { KubeObject } from '@apichain/meta';
import type { JsonSchemaProps } from '../json-schema-props.ts';

/** https://kubernetes.io/docs/reference/kubernetes-api/extend-resources/custom-resource-definition-v1/ */
export interface CustomResourceDefinition extends KubeObject {
  spec: CrdSpec;
  status?: CrdStatus;
}

/** The spec of a CRD: the names and versions of a custom resource. */
export interface CrdSpec {
  group: string;
  scope: string;
  names: CrdNames;
  versions: CrdVersion[];
  conversion?: CrdConversion;
  preserveUnknownFields?: boolean;
}

/** The names of a custom resource: requested in `spec.names` and accepted in `status.acceptedNames`. */
export interface CrdNames {
  plural?: string;
  singular?: string;
  kind?: string;
  listKind?: string;
  shortNames?: string[];
  categories?: string[];
}

/** A version in `spec.versions` of a CRD. */
export interface CrdVersion {
  name: string;
  served: boolean;
  storage: boolean;
  deprecated?: boolean;
  deprecationWarning?: string;
  schema?: CrdValidation;
  subresources?: CrdSubresources;
  additionalPrinterColumns?: CrdPrinterColumn[];
  selectableFields?: { jsonPath?: string }[];
}
export interface CrdValidation {
  openAPIV3Schema?: JsonSchemaProps;
}

/** The subresources of a version; `{}` enables status. */
export interface CrdSubresources {
  status?: object;
  scale?: { specReplicasPath?: string; statusReplicasPath?: string; labelSelectorPath?: string };
}

/**
 * A column of `kubectl get`:
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#additional-printer-columns
 */
export interface CrdPrinterColumn {
  name?: string;
  type?: string;
  format?: string;
  description?: string;
  priority?: number;
  jsonPath?: string;
}
/** How objects are converted between versions: `None` or a webhook. */
export interface CrdConversion {
  strategy?: string;
  webhook?: {
    clientConfig?: {
      url?: string;
      service?: { name?: string; namespace?: string; path?: string; port?: number };
      caBundle?: string;
    };
    conversionReviewVersions?: string[];
  };
}

/** The status of a condition. */
export type CrdConditionStatus = 'True' | 'False' | 'Unknown';
/** A condition in the status of a CRD. */
export interface CrdCondition {
  type: string;
  status: CrdConditionStatus;
  reason?: string;
  message?: string;
  lastTransitionTime?: string | null;
  observedGeneration?: number;
}
export interface CrdStatus {
  conditions?: CrdCondition[];
  acceptedNames?: CrdNames;
  storedVersions?: string[];
  observedGeneration?: number;
}

/** The condition of a type; undefined if the status has none. */
export const findCondition = (crd: CustomResourceDefinition, type: string): CrdCondition | undefined =>
  crd.status?.conditions?.find((c) => c.type === type);
/** Whether the condition of a type is `True`. */
export const isConditionTrue = (crd: CustomResourceDefinition, type: string): boolean =>
  findCondition(crd, type)?.status === 'True';

/** The versions of a CRD; empty if absent. */
const crdVersions = (crd: CustomResourceDefinition): readonly CrdVersion[] => crd.spec?.versions ?? [];
export const storageVersion = (crd: CustomResourceDefinition): CrdVersion | undefined =>
  crdVersions(crd).find((v) => v.storage);
