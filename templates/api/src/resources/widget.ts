import { defineResource, field, Type } from 'apichain/server';
import { classes } from './widget-class.ts';

const replicas = Type.Integer({ default: 1, minimum: 0, maximum: 100 });
const status = Type.Optional(Type.Object({ phase: Type.Optional(Type.String()) }));

/** Widgets are stored, in version v1. v1alpha1, in which the class was called size, is served as well. */
export const widgetDefinition = defineResource({
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
  schema: Type.Object({
    spec: Type.Object(
      { class: Type.String({ default: 'small', description: 'The name of a WidgetClass.' }), replicas },
      { default: {} },
    ),
    status,
  }),
  columns: [
    { name: 'Class', type: 'string', jsonPath: '.spec.class' },
    { name: 'Replicas', type: 'integer', jsonPath: '.spec.replicas' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
  selectableFields: ['spec.class'],
  status: true,
  validate: ({ spec }) => {
    const names = classes.map(({ name }) => name);
    return names.includes(spec.class) ? [] : [field.notSupported('spec.class', spec.class, names)];
  },
  versions: [
    {
      version: 'v1alpha1',
      deprecated: true,
      schema: Type.Object({
        spec: Type.Object({ size: Type.String({ default: 'small' }), replicas }, { default: {} }),
        status,
      }),
      toStorage: ({ spec: { size, ...spec }, ...rest }) => ({ ...rest, spec: { ...spec, class: size } }),
      fromStorage: ({ spec: { class: size, ...spec }, ...rest }) => ({ ...rest, spec: { ...spec, size } }),
    },
  ],
});
