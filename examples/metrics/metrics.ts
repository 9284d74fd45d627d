import { defineResource, Type, type ComputedObject, type ResourceDefinition } from '@apichain/extension-server';

const usage = Type.Record(Type.String(), Type.String(), { description: 'Amounts such as 250m, by resource.' });
const node = Type.Object({ usage });
const pod = Type.Object({ containers: Type.Array(Type.Object({ name: Type.String(), usage })) });

/** Measures nodes, and pods of a namespace ('' = all), at the time of the call. */
export interface MetricsSource {
  nodes(signal: AbortSignal): Promise<readonly ComputedObject<typeof node>[]>;
  pods(namespace: string, signal: AbortSignal): Promise<readonly ComputedObject<typeof pod>[]>;
}

const group = { group: 'metrics.k8s.io', version: 'v1beta1' };
const measurement = { timestamp: Type.String({ format: 'date-time' }), window: Type.String() };
const columns = [{ name: 'Window', type: 'string', jsonPath: '.window' }] as const;

/** The resources of metrics.k8s.io, measured for every request. `window` is the time that a measurement covers, e.g. `30s`. */
export function metrics(source: MetricsSource, window: string): ResourceDefinition[] {
  const now = <T extends object>(measured: T) => ({ ...measured, timestamp: new Date().toISOString(), window });
  const nodes = async (signal: AbortSignal) => (await source.nodes(signal)).map(now);
  const pods = async (namespace: string, signal: AbortSignal) => (await source.pods(namespace, signal)).map(now);
  return [
    defineResource({
      ...{ ...group, kind: 'NodeMetrics', plural: 'nodes', scope: 'Cluster', columns },
      schema: Type.Object({ ...measurement, ...node.properties }),
      computed: {
        get: async (name, { signal }) => (await nodes(signal)).find(({ metadata }) => metadata?.name === name),
        list: ({ signal }) => nodes(signal),
      },
    }),
    defineResource({
      ...{ ...group, kind: 'PodMetrics', plural: 'pods', scope: 'Namespaced', columns },
      schema: Type.Object({ ...measurement, ...pod.properties }),
      computed: {
        get: async (name, { requestInfo, signal }) =>
          (await pods(requestInfo.namespace, signal)).find(({ metadata }) => metadata?.name === name),
        list: ({ requestInfo, signal }) => pods(requestInfo.namespace, signal),
      },
    }),
  ];
}
