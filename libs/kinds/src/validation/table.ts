import type { FieldError, KubeObject } from '@apichain/meta';
import * as configMap from './configmap.ts';
import * as namespace from './namespace.ts';
import * as secret from './secret.ts';
import * as service from './service.ts';
import * as small from './small-kinds.ts';

/** The checks of a kind beyond its name and metadata. `update` repeats those of `create` that apply to stored objects. */
export interface KindValidation {
  readonly create?: (object: KubeObject) => FieldError[];
  readonly update?: (object: KubeObject, old: KubeObject) => FieldError[];
  /** The checks of an update are followed by those of a new object's metadata once more: clients see such errors twice. */
  readonly updateRepeatsCreate?: boolean;
}

/** One row a resource that has checks of its own, one file a kind. */
export const validations: Readonly<Record<string, KindValidation>> = {
  configmaps: {
    create: configMap.validateConfigMap,
    update: configMap.validateConfigMapUpdate,
    updateRepeatsCreate: true,
  },
  secrets: { create: secret.validateSecret, update: secret.validateSecretUpdate, updateRepeatsCreate: true },
  serviceaccounts: { updateRepeatsCreate: true },
  namespaces: { create: namespace.validateNamespace, update: namespace.validateNamespace },
  services: { create: service.validateService, update: service.validateServiceUpdate },
  ...small.smallValidations,
};
