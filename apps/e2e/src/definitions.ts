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
