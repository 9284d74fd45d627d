import {
  ApiException,
  CoreV1Api,
  CustomObjectsApi,
  type KubeConfig,
  type KubernetesListObject,
  type KubernetesObject,
  makeInformer,
} from '@kubernetes/client-node';
import { type Greeting, greetings } from './greeting.ts';

const finalizer = 'example.com/config-map';
const maxAttempts = 6;

/** Keeps a ConfigMap for every Greeting of the namespace `default`, until the returned function is called. */
export async function startOperator(config: KubeConfig): Promise<() => Promise<void>> {
  const core = config.makeApiClient(CoreV1Api);
  const custom = config.makeApiClient(CustomObjectsApi);
  let stopped = false;

  async function reconcile(name: string): Promise<void> {
    const greeting = (await custom.getNamespacedCustomObject({ ...greetings, name })) as Greeting;
    const { metadata, spec, status } = greeting;
    const finalizers = metadata.finalizers ?? [];
    if (metadata.deletionTimestamp !== undefined) {
      await core.deleteNamespacedConfigMap({ namespace: 'default', name }).catch(unless(404));
      metadata.finalizers = finalizers.filter((other) => other !== finalizer);
      await custom.replaceNamespacedCustomObject({ ...greetings, name, body: greeting });
      return;
    }
    if (!finalizers.includes(finalizer)) {
      // The event of this change brings us back.
      metadata.finalizers = [...finalizers, finalizer];
      await custom.replaceNamespacedCustomObject({ ...greetings, name, body: greeting });
      return;
    }
    if (status?.observedGeneration === metadata.generation) return;
    const body = { metadata: { name }, data: { text: spec.text ?? '' } };
    await core
      .createNamespacedConfigMap({ namespace: 'default', body })
      .catch(unless(409))
      .then((made) => made ?? core.replaceNamespacedConfigMap({ namespace: 'default', name, body }));
    greeting.status = { ready: true, observedGeneration: metadata.generation ?? 0 };
    await custom.replaceNamespacedCustomObjectStatus({ ...greetings, name, body: greeting });
  }

  /** On a conflict somebody else was quicker: read the object again and do what is then to be done. */
  async function reconcileWithRetry(name: string): Promise<void> {
    for (let attempt = 1; !stopped; attempt++) {
      try {
        return await reconcile(name);
      } catch (error) {
        if (!(error instanceof ApiException) || error.code === 404) return;
        if (attempt === maxAttempts) throw error;
        await new Promise((resolve) => setTimeout(resolve, delayMs(error, attempt)));
      }
    }
  }

  // One Greeting after the other: no two reconciles of the same one at a time.
  let queue = Promise.resolve();
  const enqueue = (object: { metadata?: { name?: string } }) => {
    queue = queue.then(() => reconcileWithRetry(object.metadata?.name ?? '')).catch(report);
  };
  const informer = makeInformer(
    config,
    '/apis/example.com/v1/namespaces/default/greetings',
    () => custom.listNamespacedCustomObject(greetings) as Promise<KubernetesListObject<KubernetesObject>>,
  );
  informer.on('add', enqueue);
  informer.on('update', enqueue);
  // The informer stops on an error: starting it again lists and watches anew.
  informer.on('error', () => setTimeout(() => (stopped ? undefined : void informer.start().catch(report)), 20));
  await informer.start();
  return async () => {
    stopped = true;
    await informer.stop();
    await queue;
  };
}

/** What the server asks for, else longer from time to time. */
function delayMs(error: ApiException<unknown>, attempt: number): number {
  const seconds = Number(error.headers['retry-after']);
  return Number.isFinite(seconds) ? seconds * 1000 : 10 * 2 ** attempt;
}

const report = (error: unknown): void => {
  process.stderr.write(`operator: ${error instanceof Error ? error.message : String(error)}\n`);
};

function unless(code: number): (error: unknown) => undefined {
  return (error) => {
    if (!(error instanceof ApiException) || error.code !== code) throw error;
  };
}
