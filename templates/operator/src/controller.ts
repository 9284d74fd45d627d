import { controller, kinds } from 'apichain/client';
import { Widget } from './resources/widget.ts';

/** Keeps a ConfigMap for every Widget. The garbage collector deletes the one of a Widget that is gone. */
export const widgetController = controller({ for: Widget, owns: [kinds.ConfigMap], name: 'my-project' }).reconcile(
  async ({ object, apply, updateStatus }) => {
    const { metadata, spec } = object;
    await apply(kinds.ConfigMap, { metadata: { name: metadata.name }, data: { text: spec.text } });
    await updateStatus({ ready: true, observedGeneration: metadata.generation ?? 0 });
  },
);
