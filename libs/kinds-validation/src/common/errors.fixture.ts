import type { FieldError, KubeObject } from '@apichain/meta';

/** Errors as lines, `field: message`, for tests. */
export const lines = (errors: readonly FieldError[]): string[] => errors.map((e) => `${e.field}: ${e.message}`);

/** An object in the namespace `default` with the given fields. */
export const object = (kind: string, name: string, rest: Record<string, unknown>): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace: 'default', resourceVersion: '1' },
  ...rest,
});

/** A container after defaulting. */
export const container = (rest: Record<string, unknown> = {}): Record<string, unknown> => ({
  name: 'c',
  image: 'img:1',
  resources: {},
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
  imagePullPolicy: 'IfNotPresent',
  ...rest,
});

/** A pod spec after defaulting. */
export const podSpec = (rest: Record<string, unknown> = {}): Record<string, unknown> => ({
  containers: [container()],
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 30,
  dnsPolicy: 'ClusterFirst',
  securityContext: {},
  schedulerName: 'default-scheduler',
  ...rest,
});

/** A pod template after defaulting. */
export const template = (spec: Record<string, unknown> = {}): Record<string, unknown> => ({
  metadata: { labels: { app: 'a' } },
  spec: podSpec(spec),
});
