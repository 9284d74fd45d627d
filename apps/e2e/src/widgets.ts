import assert from 'node:assert/strict';
import { type Chain, waitFor } from './chain.ts';
import { call } from './http.ts';

/** A custom resource without validation: every field of its spec is preserved. */
export const widgetDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          },
        },
      },
    ],
  },
};

/** The path of the widgets in the namespace `default`. */
export const widgets = '/apis/example.com/v1/namespaces/default/widgets';

export const widgetsServed = (chain: Chain): Promise<void> =>
  waitFor(
    async () => (await call(chain, 'GET', widgets)).status === 200,
    10_000,
    () => 'widgets are not served',
  );

/** Creates the CustomResourceDefinition of widgets and waits until they are served. */
export async function defineWidgets(chain: Chain): Promise<void> {
  const created = await call(chain, 'POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    body: JSON.stringify(widgetDefinition),
  });
  assert.equal(created.status, 201, created.text);
  await widgetsServed(chain);
}
