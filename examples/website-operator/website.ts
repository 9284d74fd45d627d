// Made by `apichain generate types`. Do not edit.

import type { KindReference, ObjectMeta } from 'apichain/client';

export type Website = {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec: WebsiteSpec;
  status?: WebsiteStatus;
};

export type WebsiteSpec = {
  /** The server of the site. */
  image: string;
  /** The name under which it is found. */
  host: string;
  replicas?: number;
};

export type WebsiteStatus = {
  readyReplicas?: number;
  conditions?: {
    type: string;
    status: 'True' | 'False' | 'Unknown';
    observedGeneration?: number;
    lastTransitionTime: string;
    reason: string;
    message: string;
  }[];
};

export const Website: KindReference<Website> = {
  group: 'example.com',
  version: 'v1',
  kind: 'Website',
  resource: 'websites',
};
