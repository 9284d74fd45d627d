// Made by `node tools/kinds/typescript.ts` from the table of types, libs/kinds/src/generated/types. Do not edit. See libs/api/README.md.

import type { ListMeta, ObjectMeta, emptied } from '@apichain/meta';
import type * as core_v1 from '../core/v1.ts';

export type AddressType = string;

export type Endpoint = {
  addresses?: string[] | null;
  conditions?: EndpointConditions;
  hostname?: string;
  targetRef?: core_v1.ObjectReference;
  topology?: Record<string, string>;
  nodeName?: string;
  hints?: EndpointHints;
  [emptied]?: readonly string[];
};

export type EndpointConditions = {
  ready?: boolean;
  serving?: boolean;
  terminating?: boolean;
  [emptied]?: readonly string[];
};

export type EndpointHints = {
  forZones?: ForZone[];
  forNodes?: ForNode[];
  [emptied]?: readonly string[];
};

export type EndpointPort = {
  name?: string;
  /** `TCP`, `UDP`, `SCTP` */
  protocol?: core_v1.Protocol;
  port?: number;
  appProtocol?: string;
  [emptied]?: readonly string[];
};

export type EndpointSlice = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  /** `IPv4`, `IPv6`, `FQDN` */
  addressType?: AddressType;
  endpoints?: Endpoint[] | null;
  ports?: EndpointPort[] | null;
  [emptied]?: readonly string[];
};

export type EndpointSliceList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: EndpointSlice[] | null;
  [emptied]?: readonly string[];
};

export type ForNode = {
  name?: string;
  [emptied]?: readonly string[];
};

export type ForZone = {
  name?: string;
  [emptied]?: readonly string[];
};
