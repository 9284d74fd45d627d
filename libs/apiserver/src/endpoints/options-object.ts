import type { WriteOptions } from '../registry/rest.ts';

/** meta/v1 options in the form that admission gets. */
export function optionsObject(
  kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions',
  options: WriteOptions,
  force?: boolean,
) {
  return {
    kind,
    apiVersion: 'meta.k8s.io/v1',
    ...(options.dryRun ? { dryRun: ['All'] } : {}),
    ...(force === undefined ? {} : { force }),
    ...(options.fieldManager === '' ? {} : { fieldManager: options.fieldManager }),
    ...((options.statedFieldValidation ?? '') === '' ? {} : { fieldValidation: options.statedFieldValidation }),
  };
}
