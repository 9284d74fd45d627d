// Made by `apichain generate types`. Do not edit.

import type { KindReference, ObjectMeta } from 'apichain/client';

export type Database = {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec: DatabaseSpec;
  status?: DatabaseStatus;
};

export type DatabaseSpec = {
  version: string;
  replicas?: number;
};

export type DatabaseStatus = {
  observedGeneration?: number;
  conditions?: {
    type?: string;
    status?: string;
    observedGeneration?: number;
    lastTransitionTime?: string;
    reason?: string;
    message?: string;
  }[];
};

export const Database: KindReference<Database> = {
  group: 'example.com',
  version: 'v1',
  kind: 'Database',
  resource: 'databases',
};
