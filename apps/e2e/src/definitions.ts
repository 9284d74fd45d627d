import assert from 'node:assert/strict';
import { type Chain, waitFor } from './chain.ts';
import { call } from './http.ts';

/** The schema of a kind without validation. */
const anything: object = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** A CustomResourceDefinition of a namespaced kind with the version `v1`. `schema` is that of its objects; without it, every field is preserved. */
export function definitionOf(
  group: string,
  kind: string,
  { shortNames = [], schema = anything }: { readonly shortNames?: string[]; readonly schema?: object } = {},
) {
  const singular = kind.toLowerCase();
  const plural = `${singular}s`;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, singular, kind, listKind: `${kind}List`, shortNames },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  };
}

/** Widgets, whose spec may hold anything. */
export const widgetDefinition = definitionOf('example.com', 'Widget', {
  schema: {
    type: 'object',
    properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
  },
});

/** The path of the widgets in the namespace `default`. */
export const widgets = '/apis/example.com/v1/namespaces/default/widgets';

/** Waits until the custom resources at a path are served, which is some time after their definition was created. */
export const untilServed = (chain: Chain, path: string): Promise<void> =>
  waitFor(
    async () => (await call(chain, 'GET', path)).status === 200,
    10_000,
    () => `${path} is not served`,
  );

export const widgetsServed = (chain: Chain): Promise<void> => untilServed(chain, widgets);

/** Creates the CustomResourceDefinition of widgets and waits until they are served. */
export async function defineWidgets(chain: Chain): Promise<void> {
  const created = await call(chain, 'POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    body: JSON.stringify(widgetDefinition),
  });
  assert.equal(created.status, 201, created.text);
  await widgetsServed(chain);
}
