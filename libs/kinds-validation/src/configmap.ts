import { field, type FieldError, type KubeObject } from '@apichain/meta';
import { entriesOf, record, text } from '@apichain/kinds';
import { decodedLength, immutableErrors, keyErrors, maxDataBytes } from './data-maps.ts';

/** https://kubernetes.io/docs/concepts/configuration/configmap/ */
export function validateConfigMap(configMap: KubeObject): FieldError[] {
  const data = record(configMap.data);
  const binaryData = record(configMap.binaryData);
  const errors = [
    ...keyErrors('data', data, (name) =>
      Object.hasOwn(binaryData, name) ? ['duplicate of key present in binaryData'] : [],
    ),
    ...keyErrors('binaryData', binaryData),
  ];
  const size =
    entriesOf(data).reduce((sum, [, value]) => sum + Buffer.byteLength(text(value)), 0) +
    entriesOf(binaryData).reduce((sum, [, value]) => sum + decodedLength(value), 0);
  if (size > maxDataBytes) errors.push(field.tooLong('[]', maxDataBytes));
  return errors;
}

export const validateConfigMapUpdate = (configMap: KubeObject, old: KubeObject): FieldError[] =>
  immutableErrors(configMap, old, ['data', 'binaryData']);
