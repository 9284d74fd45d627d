import { createApiServer } from 'apichain/server';
import { widgetClassDefinition } from './resources/widget-class.ts';
import { widgetDefinition } from './resources/widget.ts';

export const server = createApiServer({
  name: 'my-project',
  summary: 'Serves Widgets and WidgetClasses of example.com.',
  resources: [widgetDefinition, widgetClassDefinition],
});
