import type { KubeObject, ResourceReference } from 'apichain/client';

/** The fields of a Widget, as config/crd.json defines them. */
export interface WidgetSpec {
  /** What the ConfigMap of the Widget contains. */
  text: string;
}

export interface WidgetStatus {
  ready: boolean;
  /** The generation of the Widget that the ConfigMap shows. */
  observedGeneration: number;
}

export const widgetResource: ResourceReference<KubeObject & { spec: WidgetSpec; status?: WidgetStatus }> = {
  group: 'example.com',
  version: 'v1',
  resource: 'widgets',
};
