// Made by `node tools/kinds/typescript.ts` from the table of types, libs/kinds/src/generated/types. Do not edit. See libs/api/README.md.

import type { ListMeta, ObjectMeta, emptied } from '@apichain/meta';
import type * as meta_v1 from '../meta/v1.ts';

export type APIGroupDiscovery = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  versions?: APIVersionDiscovery[];
  [emptied]?: readonly string[];
};

export type APIGroupDiscoveryList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: APIGroupDiscovery[] | null;
  [emptied]?: readonly string[];
};

export type APIResourceDiscovery = {
  resource?: string;
  responseKind?: meta_v1.GroupVersionKind;
  scope?: ResourceScope;
  singularResource?: string;
  verbs?: string[] | null;
  shortNames?: string[];
  categories?: string[];
  subresources?: APISubresourceDiscovery[];
  [emptied]?: readonly string[];
};

export type APISubresourceDiscovery = {
  subresource?: string;
  responseKind?: meta_v1.GroupVersionKind;
  acceptedTypes?: meta_v1.GroupVersionKind[];
  verbs?: string[] | null;
  [emptied]?: readonly string[];
};

export type APIVersionDiscovery = {
  version?: string;
  resources?: APIResourceDiscovery[];
  freshness?: DiscoveryFreshness;
  [emptied]?: readonly string[];
};

export type DiscoveryFreshness = string;

export type ResourceScope = string;
