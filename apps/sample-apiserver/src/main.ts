import { createApiServer, defineResource, field, Type } from '@apichain/extension-server';

const flunders = defineResource({
  group: 'wardle.example.com',
  version: 'v1beta1',
  kind: 'Flunder',
  plural: 'flunders',
  scope: 'Namespaced',
  shortNames: ['fl'],
  schema: Type.Object({
    spec: Type.Optional(
      Type.Object({
        flunderReference: Type.Optional(Type.String({ description: 'The name of another flunder.' })),
        fischerReference: Type.Optional(Type.String()),
        referenceType: Type.Optional(Type.Union([Type.Literal('Flunder'), Type.Literal('Fischer')])),
        replicas: Type.Integer({ default: 1, minimum: 0 }),
      }),
    ),
    status: Type.Optional(Type.Object({ replicas: Type.Optional(Type.Integer()) })),
  }),
  status: true,
  scale: { specReplicasPath: 'spec.replicas', statusReplicasPath: 'status.replicas' },
  columns: [{ name: 'Reference', type: 'string', jsonPath: '.spec.flunderReference' }],
  selectableFields: ['spec.flunderReference'],
  validate: ({ spec }) =>
    spec?.flunderReference !== undefined && spec.fischerReference !== undefined
      ? [field.invalid('spec', spec.flunderReference, 'only one reference may be set')]
      : [],
  versions: [
    {
      version: 'v1alpha1',
      schema: Type.Object({
        spec: Type.Optional(
          Type.Object({ reference: Type.Optional(Type.String()), replicas: Type.Integer({ default: 1 }) }),
        ),
        status: Type.Optional(Type.Object({ replicas: Type.Optional(Type.Integer()) })),
      }),
      toStorage: ({ spec, status }) => ({
        ...(spec === undefined
          ? {}
          : {
              spec: {
                replicas: spec.replicas,
                ...(spec.reference === undefined ? {} : { flunderReference: spec.reference }),
              },
            }),
        ...(status === undefined ? {} : { status }),
      }),
      fromStorage: ({ spec, status }) => ({
        ...(spec === undefined
          ? {}
          : {
              spec: {
                replicas: spec.replicas,
                ...(spec.flunderReference === undefined ? {} : { reference: spec.flunderReference }),
              },
            }),
        ...(status === undefined ? {} : { status }),
      }),
    },
  ],
});

process.exit(await createApiServer({ name: 'wardle', resources: [flunders] }).run());
