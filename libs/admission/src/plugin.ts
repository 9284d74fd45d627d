import type { UserInfo } from '@apichain/authn';
import type { GroupVersionKind, GroupVersionResource, KubeObject } from '@apichain/meta';

export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** One write on its way to storage: https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/ */
export interface AdmissionAttributes {
  readonly operation: AdmissionOperation;
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** Mutating plugins change it in place; undefined on DELETE. */
  readonly object?: KubeObject;
  readonly oldObject?: KubeObject;
  readonly options?: unknown;
  readonly dryRun: boolean;
  readonly user: UserInfo;
  warn(text: string): void;
}

/** Refuses by throwing a StatusError. All mutating plugins run before the first validating one. */
export interface AdmissionPlugin {
  readonly name: string;
  readonly handles: ReadonlySet<AdmissionOperation>;
  admit?(attributes: AdmissionAttributes): Promise<void> | void;
  validate?(attributes: AdmissionAttributes): Promise<void> | void;
}
