import {
  labels,
  selector,
  container,
  podSpec,
  template,
  jobTemplate,
  richPodSpec,
  condition,
  namespaced,
  type SampleKind,
} from './sample-kind.ts';

/** Kinds of workloads, and kinds that scale and protect workloads. */
export const apps: readonly SampleKind[] = [
  namespaced(
    'apps/v1',
    'ControllerRevision',
    'controllerrevisions',
    { revision: 1 },
    {
      rich: { revision: 2, data: { spec: { any: ['thing', 1, 1.5, null] } } },
      invalid: { revision: -1 },
      change: { revision: 3 },
    },
  ),
  namespaced(
    'apps/v1',
    'DaemonSet',
    'daemonsets',
    { spec: { selector, template } },
    {
      rich: {
        spec: {
          selector,
          template: { metadata: { labels }, spec: richPodSpec },
          minReadySeconds: 2,
          updateStrategy: { rollingUpdate: { maxSurge: '10%', maxUnavailable: 0 } },
        },
      },
      invalid: { spec: { selector: {}, template, updateStrategy: { type: 'Never' } } },
      change: { spec: { minReadySeconds: 7 } },
      status: { currentNumberScheduled: 1, numberMisscheduled: 0, desiredNumberScheduled: 1, numberReady: 1 },
    },
  ),
  namespaced(
    'apps/v1',
    'Deployment',
    'deployments',
    { spec: { selector, template } },
    {
      rich: {
        spec: {
          replicas: 0,
          paused: true,
          selector,
          template: { metadata: { labels }, spec: richPodSpec },
          strategy: { rollingUpdate: { maxSurge: 3 } },
          progressDeadlineSeconds: 60,
        },
      },
      invalid: {
        spec: {
          selector: { matchLabels: { app: 'other' } },
          template,
          strategy: { type: 'Recreate', rollingUpdate: {} },
        },
      },
      change: { spec: { replicas: 3 } },
      status: {
        replicas: 3,
        updatedReplicas: 3,
        readyReplicas: 2,
        conditions: [{ ...condition('Available'), lastUpdateTime: '2020-01-02T03:04:05Z' }],
      },
      scale: true,
    },
  ),
  namespaced(
    'apps/v1',
    'ReplicaSet',
    'replicasets',
    { spec: { selector, template } },
    {
      rich: {
        spec: { replicas: 0, minReadySeconds: 1, selector, template: { metadata: { labels }, spec: richPodSpec } },
      },
      invalid: {
        spec: {
          replicas: -1,
          selector,
          template: { ...template, spec: { containers: [container], restartPolicy: 'Never' } },
        },
      },
      change: { spec: { replicas: 2 } },
      status: { replicas: 2, fullyLabeledReplicas: 2 },
      scale: true,
    },
  ),
  namespaced(
    'apps/v1',
    'StatefulSet',
    'statefulsets',
    { spec: { selector, template, serviceName: 's' } },
    {
      rich: {
        spec: {
          serviceName: 's',
          replicas: 0,
          selector,
          template: { metadata: { labels }, spec: richPodSpec },
          podManagementPolicy: 'Parallel',
          updateStrategy: { rollingUpdate: { partition: 2 } },
          persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete' },
          volumeClaimTemplates: [
            {
              metadata: { name: 'data' },
              spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
            },
          ],
        },
      },
      invalid: { spec: { selector, template, serviceName: 's', podManagementPolicy: 'Never' } },
      change: { spec: { replicas: 2 } },
      status: { replicas: 2, readyReplicas: 1, currentRevision: 'r1', updateRevision: 'r2' },
      scale: true,
    },
  ),
  namespaced(
    'batch/v1',
    'Job',
    'jobs',
    { spec: { template: jobTemplate } },
    {
      rich: {
        spec: {
          suspend: true,
          parallelism: 2,
          completions: 4,
          completionMode: 'Indexed',
          backoffLimitPerIndex: 1,
          ttlSecondsAfterFinished: 60,
          podReplacementPolicy: 'Failed',
          podFailurePolicy: { rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [1] } }] },
          template: jobTemplate,
        },
      },
      invalid: { spec: { parallelism: -1, template: { spec: podSpec } } },
      change: { spec: { parallelism: 3 } },
      status: { active: 1, ready: 0, startTime: '2020-01-02T03:04:05Z' },
    },
  ),
  namespaced(
    'batch/v1',
    'CronJob',
    'cronjobs',
    { spec: { schedule: '5 4 * * *', jobTemplate: { spec: { template: jobTemplate } } } },
    {
      rich: {
        spec: {
          schedule: '@daily',
          timeZone: 'Etc/UTC',
          suspend: true,
          concurrencyPolicy: 'Replace',
          startingDeadlineSeconds: 10,
          successfulJobsHistoryLimit: 0,
          jobTemplate: { metadata: { labels }, spec: { template: jobTemplate } },
        },
      },
      invalid: {
        spec: { schedule: 'whenever', concurrencyPolicy: 'Never', jobTemplate: { spec: { template: jobTemplate } } },
      },
      change: { spec: { suspend: true } },
      status: { lastScheduleTime: '2020-01-02T03:04:05Z' },
    },
  ),
  namespaced(
    'autoscaling/v2',
    'HorizontalPodAutoscaler',
    'horizontalpodautoscalers',
    { spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' } } },
    {
      rich: {
        spec: {
          minReplicas: 2,
          maxReplicas: 9,
          scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' },
          metrics: [
            { type: 'Resource', resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '512Mi' } } },
          ],
          behavior: {
            scaleDown: { stabilizationWindowSeconds: 60, policies: [{ type: 'Pods', value: 1, periodSeconds: 30 }] },
          },
        },
      },
      invalid: { spec: { minReplicas: 5, maxReplicas: 3, scaleTargetRef: { kind: '', name: 'd' } } },
      change: { spec: { maxReplicas: 5 } },
      status: { currentReplicas: 1, desiredReplicas: 2, conditions: [condition('AbleToScale')] },
    },
  ),
  namespaced(
    'autoscaling/v1',
    'HorizontalPodAutoscaler',
    'horizontalpodautoscalers',
    { spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' } } },
    {
      rich: {
        spec: {
          minReplicas: 2,
          maxReplicas: 9,
          targetCPUUtilizationPercentage: 70,
          scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' },
        },
      },
      invalid: { spec: { maxReplicas: 0, scaleTargetRef: { kind: 'Deployment', name: 'd' } } },
      change: { spec: { maxReplicas: 5 } },
      status: { currentReplicas: 1, desiredReplicas: 2 },
    },
  ),
  namespaced(
    'policy/v1',
    'PodDisruptionBudget',
    'poddisruptionbudgets',
    { spec: {} },
    {
      rich: { spec: { minAvailable: '50%', selector, unhealthyPodEvictionPolicy: 'AlwaysAllow' } },
      invalid: { spec: { minAvailable: 1, maxUnavailable: 1 } },
      change: { spec: { maxUnavailable: 2 } },
      status: { disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1, expectedPods: 2 },
    },
  ),
];
