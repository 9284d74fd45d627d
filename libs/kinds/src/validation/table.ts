import type { FieldError, KubeObject } from '@apichain/meta';
import * as configMap from './configmap.ts';
import * as namespace from './namespace.ts';
import { validateEphemeralContainers } from './pod/ephemeral-containers.ts';
import { validatePod } from './pod/pod.ts';
import { validatePodResize } from './pod/resize.ts';
import { validatePodStatusUpdate } from './pod/status.ts';
import { validatePodUpdate } from './pod/update.ts';
import * as secret from './secret.ts';
import * as service from './service.ts';
import * as small from './small-kinds.ts';
import * as controllers from './workloads/controllers.ts';
import * as daemonSet from './workloads/daemonset.ts';
import * as statefulSet from './workloads/statefulset.ts';

/** The checks of a kind beyond its name and metadata. `update` repeats those of `create` that apply to stored objects. */
export interface KindValidation {
  readonly create?: (object: KubeObject) => FieldError[];
  readonly update?: (object: KubeObject, old: KubeObject) => FieldError[];
  /** The checks of an update are followed by those of a new object's metadata once more: clients see such errors twice. */
  readonly updateRepeatsCreate?: boolean;
  /** Of updates through a subresource (`status`, ...), after the changes of metadata have been checked. */
  readonly subresources?: Readonly<Record<string, (object: KubeObject, old: KubeObject) => FieldError[]>>;
}

/** One row a resource that has checks of its own, one file a kind. */
export const validations: Readonly<Record<string, KindValidation>> = {
  ...small.smallValidations,
  pods: {
    create: validatePod,
    update: validatePodUpdate,
    subresources: {
      status: validatePodStatusUpdate,
      ephemeralcontainers: validateEphemeralContainers,
      resize: validatePodResize,
    },
  },
  podtemplates: { create: controllers.validatePodTemplate, update: controllers.validatePodTemplate },
  replicationcontrollers: {
    create: controllers.validateReplicationController,
    update: controllers.validateReplicationController,
    subresources: { status: controllers.validateReplicaStatus },
  },
  'deployments.apps': {
    create: controllers.validateDeployment,
    update: controllers.validateDeploymentUpdate,
    subresources: { status: controllers.validateDeploymentStatus },
  },
  'replicasets.apps': {
    create: controllers.validateReplicaSet,
    update: controllers.validateReplicaSetUpdate,
    subresources: { status: controllers.validateReplicaStatus },
  },
  'daemonsets.apps': {
    create: daemonSet.validateDaemonSet,
    update: daemonSet.validateDaemonSetUpdate,
    subresources: { status: daemonSet.validateDaemonSetStatus },
  },
  'statefulsets.apps': {
    create: statefulSet.validateStatefulSet,
    update: statefulSet.validateStatefulSetUpdate,
    subresources: { status: statefulSet.validateStatefulSetStatus },
  },
  configmaps: {
    create: configMap.validateConfigMap,
    update: configMap.validateConfigMapUpdate,
    updateRepeatsCreate: true,
  },
  secrets: { create: secret.validateSecret, update: secret.validateSecretUpdate, updateRepeatsCreate: true },
  serviceaccounts: { updateRepeatsCreate: true },
  namespaces: { create: namespace.validateNamespace, update: namespace.validateNamespace },
  services: { create: service.validateService, update: service.validateServiceUpdate },
};
