/** A CustomResourceDefinition of a namespaced kind, whose plural is its name with an s. */
export const definitionOf = (group: string, kind: string, versions: readonly object[], more: object = {}) => {
  const singular = kind.toLowerCase();
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${singular}s.${group}` },
    spec: { group, scope: 'Namespaced', names: { plural: `${singular}s`, singular, kind }, versions, ...more },
  };
};

/** A version of a definition that is served and stored. `properties` are those of its objects. */
export const versionOf = (name: string, properties: object, more: object = {}) => ({
  ...{ name, served: true, storage: true },
  schema: { openAPIV3Schema: { type: 'object', properties } },
  ...more,
});
