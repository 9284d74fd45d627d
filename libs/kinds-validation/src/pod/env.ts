import {
  field,
  isConfigMapKey,
  isDNS1123Label,
  isDNS1123Subdomain,
  isRelaxedEnvVarName,
  nameIsDNSSubdomain,
} from '@apichain/meta';
import { isSet, type Plain, record, records, text } from '@apichain/kinds';
import { noBacksteps } from '../common/formats.ts';
import { checkEach, invalidEach, optionalName, type Out, requiredName, requiredText } from '../common/rules.ts';
import { envFields, fieldRefErrors, resourceFieldRefErrors } from './field-selectors.ts';

function keyRefErrors(out: Out, path: string, ref: unknown): void {
  const { name, key } = record(ref);
  invalidEach(out, `${path}.name`, text(name), isDNS1123Subdomain(text(name)));
  requiredName(out, `${path}.key`, key, isConfigMapKey);
}

function fileKeyRefErrors(out: Out, path: string, ref: unknown): void {
  const { key, volumeName, path: file } = record(ref);
  requiredName(out, `${path}.key`, key, isRelaxedEnvVarName);
  requiredName(out, `${path}.volumeName`, volumeName, isDNS1123Label);
  if (text(file) === '') out.push(field.required(`${path}.path`));
  else noBacksteps(out, `${path}.path`, text(file));
}

const sources: readonly [name: string, check: (out: Out, path: string, ref: unknown) => void][] = [
  ['fieldRef', (out, path, ref) => fieldRefErrors(out, path, ref, envFields)],
  ['resourceFieldRef', (out, path, ref) => resourceFieldRefErrors(out, path, ref, false)],
  ['configMapKeyRef', keyRefErrors],
  ['secretKeyRef', keyRefErrors],
  ['fileKeyRef', fileKeyRefErrors],
];

function valueFromErrors(out: Out, path: string, variable: Plain): void {
  if (!isSet(variable.valueFrom)) return;
  const valueFrom = record(variable.valueFrom);
  let given = 0;
  for (const [name, check] of sources) {
    if (!isSet(valueFrom[name])) continue;
    given++;
    check(out, `${path}.${name}`, valueFrom[name]);
  }
  if (given === 0) {
    const detail =
      'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`';
    out.push(field.invalid(path, '', detail));
  } else if (text(variable.value) !== '') {
    out.push(field.invalid(path, '', 'may not be specified when `value` is not empty'));
  } else if (given > 1) out.push(field.invalid(path, '', 'may not have more than one field specified at a time'));
}

export function envErrors(out: Out, path: string, variables: unknown): void {
  checkEach(out, records(variables), (out, variable, i) => {
    const at = `${path}[${i}]`;
    requiredName(out, `${at}.name`, variable.name, isRelaxedEnvVarName);
    valueFromErrors(out, `${at}.valueFrom`, variable);
  });
}

export function envFromErrors(out: Out, path: string, entries: unknown): void {
  checkEach(out, records(entries), (out, entry, i) => {
    const at = `${path}[${i}]`;
    optionalName(out, `${at}.prefix`, entry.prefix, isRelaxedEnvVarName);
    let given = 0;
    for (const name of ['configMapRef', 'secretRef']) {
      if (!isSet(entry[name])) continue;
      given++;
      requiredText(out, `${at}.${name}.name`, record(entry[name]).name);
      optionalName(out, `${at}.${name}.name`, record(entry[name]).name, (value) => nameIsDNSSubdomain(value, true));
    }
    if (given === 0) out.push(field.invalid(path, '', 'must specify one of: `configMapRef` or `secretRef`'));
    else if (given > 1) out.push(field.invalid(path, '', 'may not have more than one field specified at a time'));
  });
}

/** Files with variables stand in volumes of the pod's own. */
export function envFileVolumeErrors(
  out: Out,
  path: string,
  variables: unknown,
  volumes: () => ReadonlyMap<unknown, Plain>,
): void {
  checkEach(out, records(variables), (out, variable, i) => {
    const ref = record(variable.valueFrom).fileKeyRef;
    if (!isSet(ref)) return;
    const at = `${path}[${i}].valueFrom.fileKeyRef.volumeName`;
    const name = text(record(ref).volumeName);
    const volume = volumes().get(name);
    if (volume === undefined) out.push(field.notFound(at, name));
    else if (!isSet(volume.emptyDir)) {
      out.push(field.invalid(at, name, 'referenced volume must be of type emptyDir'));
    }
  });
}
