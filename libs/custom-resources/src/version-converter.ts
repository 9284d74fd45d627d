import type { KubeObject } from '@apichain/meta';

/** Converts objects of a kind between its versions, e.g. by a webhook or by functions of the process. */
export interface VersionConverter {
  /** Converts one object at once. Throws if that is not possible without waiting. */
  convertNow(object: KubeObject, apiVersion: string): KubeObject;
  /** Converts objects of any versions; the result has their order. Rejects with a StatusError for the client. */
  convert(objects: readonly KubeObject[], apiVersion: string): Promise<readonly KubeObject[]>;
}
