import { defineResource, field, Type } from '@apichain/extension-server';

const referenceType = Type.Optional(
  Type.Union([Type.Literal('Flunder'), Type.Literal('Fischer')], { description: 'The kind of the reference.' }),
);
const name = (description: string) => Type.Optional(Type.String({ maxLength: 253, description }));
const status = Type.Optional(Type.Object({}));

/** `wardle.example.com` Flunders: a Flunder refers to another Flunder or to a Fischer. v1beta1 has a field for each kind of reference. */
export const flunders = defineResource({
  group: 'wardle.example.com',
  version: 'v1beta1',
  kind: 'Flunder',
  plural: 'flunders',
  scope: 'Namespaced',
  shortNames: ['fl'],
  schema: Type.Object({
    spec: Type.Object(
      {
        flunderReference: name('The name of the Flunder that this one refers to.'),
        fischerReference: name('The name of the Fischer that this one refers to.'),
        referenceType,
      },
      { default: {} },
    ),
    status,
  }),
  columns: [
    { name: 'Type', type: 'string', jsonPath: '.spec.referenceType' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
  status: true,
  defaults: ({ spec }) => {
    if (spec.flunderReference !== undefined) spec.referenceType ??= 'Flunder';
    else if (spec.fischerReference !== undefined) spec.referenceType ??= 'Fischer';
  },
  validate: ({ spec }) => [
    ...(spec.flunderReference !== undefined && spec.fischerReference !== undefined
      ? [field.invalid('spec.fischerReference', spec.fischerReference, 'cannot be set with flunderReference')]
      : []),
    ...(spec.referenceType === 'Flunder' && spec.fischerReference !== undefined
      ? [field.invalid('spec.referenceType', spec.referenceType, 'must be Fischer')]
      : []),
  ],
  versions: [
    {
      version: 'v1alpha1',
      schema: Type.Object({
        spec: Type.Object({ reference: name('The name of what this one refers to.'), referenceType }, { default: {} }),
        status,
      }),
      defaults: ({ spec }) => {
        if (spec.reference !== undefined) spec.referenceType ??= 'Flunder';
      },
      toStorage: ({ spec: { reference, ...spec }, ...rest }) => ({
        ...rest,
        spec: {
          ...spec,
          ...(reference === undefined
            ? {}
            : spec.referenceType === 'Fischer'
              ? { fischerReference: reference }
              : { flunderReference: reference }),
        },
      }),
      fromStorage: ({ spec: { flunderReference, fischerReference, ...spec }, ...rest }) => {
        const reference = flunderReference ?? fischerReference;
        return { ...rest, spec: { ...spec, ...(reference === undefined ? {} : { reference }) } };
      },
    },
  ],
});
