/** A text that the operator puts into a ConfigMap of the same name. */
export interface Greeting {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    namespace: string;
    generation?: number;
    finalizers?: string[];
    deletionTimestamp?: string;
  };
  spec: { text?: string; language?: string };
  status?: { ready: boolean; observedGeneration: number };
}

/** For CustomObjectsApi. */
export const greetings = { group: 'example.com', version: 'v1', namespace: 'default', plural: 'greetings' };
