import { controller, isStatusError, kinds } from '@apichain/client/library';
import { Greeting } from './greeting.ts';

/** Keeps a ConfigMap of the same name for every Greeting, and deletes it before the Greeting is gone. */
export const greetingController = controller({
  for: Greeting,
  finalizer: {
    name: 'example.com/config-map',
    finalize: async ({ request: { namespace, name }, client }) => {
      await client.delete({ ...kinds.ConfigMap, namespace }, name).catch((error: unknown) => {
        if (!isStatusError(error, 'NotFound')) throw error;
      });
    },
  },
}).reconcile(async ({ object, apply, updateStatus }) => {
  const { name, generation = 0 } = object.metadata;
  if (object.status?.observedGeneration === generation) return;
  await apply(kinds.ConfigMap, { metadata: { name }, data: { text: object.spec.text ?? '' } });
  await updateStatus({ ready: true, observedGeneration: generation });
});
