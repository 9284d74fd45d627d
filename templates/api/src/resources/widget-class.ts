import { defineResource, Type } from 'apichain/server';

/** The classes that this server offers. Their answers could as well come from a database or another API. */
export const classes = [
  { name: 'small', capacity: 1 },
  { name: 'large', capacity: 10 },
];

const objectOf = ({ name, capacity }: (typeof classes)[number]) => ({ metadata: { name }, capacity });

/** WidgetClasses are computed: nothing is stored. Their verbs follow from the functions below. */
export const widgetClassDefinition = defineResource({
  group: 'example.com',
  version: 'v1',
  kind: 'WidgetClass',
  plural: 'widgetclasses',
  scope: 'Cluster',
  schema: Type.Object({ capacity: Type.Integer({ description: 'What a replica of this class can take.' }) }),
  columns: [{ name: 'Capacity', type: 'integer', jsonPath: '.capacity' }],
  computed: {
    get: (name) => classes.filter((known) => known.name === name).map(objectOf)[0],
    list: () => classes.map(objectOf),
  },
});
