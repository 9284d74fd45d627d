import type { KubeObject, ResourceReference } from 'apichain/client';

/** The fields of a Widget, as config/crd.json defines them. */
export interface WidgetSpec {
  /** The user who administers the namespace of the Widget. */
  owner: string;
}

export interface WidgetStatus {
  ready: boolean;
  /** The generation of the Widget that its namespace shows. */
  observedGeneration: number;
}

export const widgetResource: ResourceReference<KubeObject & { spec: WidgetSpec; status?: WidgetStatus }> = {
  group: 'example.com',
  version: 'v1',
  resource: 'widgets',
};
