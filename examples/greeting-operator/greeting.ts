// Made by `apichain generate types`. Do not edit.

import type { KindReference, ObjectMeta } from 'apichain/client';

export type Greeting = {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec: GreetingSpec;
  status?: GreetingStatus;
};

export type GreetingSpec = {
  text?: string;
  language?: string;
};

export type GreetingStatus = {
  ready?: boolean;
  observedGeneration?: number;
};

export const Greeting: KindReference<Greeting> = {
  group: 'example.com',
  version: 'v1',
  kind: 'Greeting',
  resource: 'greetings',
};
