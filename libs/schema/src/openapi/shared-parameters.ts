import { deepEqual, text, type JsonObject } from '@apichain/meta';

const isBody = (parameter: JsonObject): boolean => parameter['in'] === 'body';
/** Sorts by name. Of two parameters with the same name, the path parameter comes first. */
const orderOf = (parameter: JsonObject): string => `${text(parameter['name'])} ${text(parameter['in'])}`;
const byName = (a: JsonObject, b: JsonObject): number => (orderOf(a) < orderOf(b) ? -1 : 1);
const parametersIn = (holder: JsonObject): JsonObject[] => (holder['parameters'] ?? []) as JsonObject[];

/** Moves parameters that all operations of a path share to the path, as kube-openapi does. Sorts them by name. */
export function shareParameters(item: JsonObject): void {
  const operations = Object.entries(item)
    .filter(([name]) => name !== 'parameters')
    .map(([, operation]) => operation as JsonObject);
  const [first, ...others] = operations.map(parametersIn);
  const shared = (first ?? []).filter(
    (one) => !isBody(one) && others.every((all) => all.some((other) => deepEqual(one, other))),
  );
  const names = new Set(shared.map(({ name }) => name));
  setParameters(item, [...parametersIn(item), ...shared]);
  for (const operation of operations) {
    setParameters(
      operation,
      parametersIn(operation).filter((one) => isBody(one) || !names.has(one['name'])),
    );
  }
}

function setParameters(holder: JsonObject, parameters: JsonObject[]): void {
  if (parameters.length === 0) delete holder['parameters'];
  else holder['parameters'] = parameters.sort(byName);
}
