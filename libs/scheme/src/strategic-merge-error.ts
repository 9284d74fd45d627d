import { goFormat, goFormatString, goValueType } from '@apichain/go-text';

/** A patch that cannot be applied. `code` is the HTTP status of the response: 400, 422, or 500 with the bare message. */
export class StrategicMergePatchError extends Error {
  override readonly name = 'StrategicMergePatchError';
  readonly code: 400 | 422 | 500;
  constructor(message: string, code: 400 | 422 | 500 = 500) {
    super(message);
    this.code = code;
  }
}

/* Errors with the messages of k8s.io/apimachinery/pkg/util/mergepatch. */
export const noMergeKey = (map: unknown, key: string): StrategicMergePatchError =>
  new StrategicMergePatchError(`map: ${goFormat(map)} does not contain declared merge key: ${key}`);
export const badPatchType = (type: unknown, map: unknown): StrategicMergePatchError =>
  new StrategicMergePatchError(`unknown patch type: ${goFormatString(type)} in map: ${goFormat(map)}`);
export const badArgType = (expected: '[]interface {}' | 'map[string]interface {}', actual: unknown) =>
  new StrategicMergePatchError(`expected a ${expected}, but received a ${goValueType(actual)}`);
export const badRetainKeys = (): StrategicMergePatchError =>
  new StrategicMergePatchError('invalid patch format of retainKeys', 400);
export const badPrimitiveList = (): StrategicMergePatchError =>
  new StrategicMergePatchError('invalid patch format of primitive list', 400);
export const badSetElementOrder = (): StrategicMergePatchError =>
  new StrategicMergePatchError('invalid patch format of setElementOrder list', 400);
export const noListOfLists = (): StrategicMergePatchError =>
  new StrategicMergePatchError('lists of lists are not supported', 422);
