import assert from 'node:assert/strict';
import { type Chain, waitFor } from './chain.ts';
import { call } from './http.ts';

/** A custom resource without rules of its own: whatever its spec holds is kept. */
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

/** Where the widgets of the namespace `default` are. */
export const widgets = '/apis/example.com/v1/namespaces/default/widgets';

export const widgetsServed = (chain: Chain): Promise<void> =>
  waitFor(
    async () => (await call(chain, 'GET', widgets)).status === 200,
    10_000,
    () => 'widgets are not served',
  );

/** Has the chain serve widgets. */
export async function defineWidgets(chain: Chain): Promise<void> {
  const created = await call(chain, 'POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    body: JSON.stringify(widgetDefinition),
  });
  assert.equal(created.status, 201, created.text);
  await widgetsServed(chain);
}
