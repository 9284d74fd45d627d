// Made by `apichain generate types`. Do not edit.

import type { KindReference, ObjectMeta } from 'apichain/client';

export type Widget = {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec: WidgetSpec;
  status?: WidgetStatus;
};

export type WidgetSpec = {
  /** What the ConfigMap of the Widget contains. */
  text: string;
};

export type WidgetStatus = {
  ready?: boolean;
  /** The generation of the Widget that the ConfigMap shows. */
  observedGeneration?: number;
};

export const Widget: KindReference<Widget> = {
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  resource: 'widgets',
};
