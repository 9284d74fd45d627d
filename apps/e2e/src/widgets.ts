import assert from 'node:assert/strict';
import { type Chain, waitFor } from './chain.ts';
import { definitionOf } from './definitions.ts';
import { call } from './http.ts';

/** Widgets, whose spec may hold anything. */
export const widgetDefinition = definitionOf('example.com', 'Widget', {
  schema: {
    type: 'object',
    properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
  },
});

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
