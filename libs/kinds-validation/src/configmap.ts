import type { ConfigMap } from '@apichain/api/core/v1';
import { field, type FieldError } from '@apichain/meta';
import { entriesOf } from '@apichain/kinds';
import { decodedLength, immutableErrors, keyErrors, maxDataBytes } from './data-maps.ts';

/** https://kubernetes.io/docs/concepts/configuration/configmap/ */
export function validateConfigMap(configMap: ConfigMap): FieldError[] {
  const data = configMap.data ?? {};
  const binaryData = configMap.binaryData ?? {};
  const errors = [
    ...keyErrors('data', data, (name) =>
      Object.hasOwn(binaryData, name) ? ['duplicate of key present in binaryData'] : [],
    ),
    ...keyErrors('binaryData', binaryData),
  ];
  const size =
    entriesOf(data).reduce((sum, [, value]) => sum + Buffer.byteLength(value ?? ''), 0) +
    entriesOf(binaryData).reduce((sum, [, value]) => sum + decodedLength(value), 0);
  if (size > maxDataBytes) errors.push(field.tooLong('[]', maxDataBytes));
  return errors;
}

export const validateConfigMapUpdate = (configMap: ConfigMap, old: ConfigMap): FieldError[] =>
  immutableErrors(configMap, old, ['data', 'binaryData']);
