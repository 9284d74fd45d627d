import type {
  ConfigMapKeySelector,
  EnvFromSource,
  EnvVar,
  EnvVarSource,
  FileKeySelector,
  SecretKeySelector,
  Volume,
} from '@apichain/api/core/v1';
import {
  field,
  isConfigMapKey,
  isDNS1123Label,
  isDNS1123Subdomain,
  isRelaxedEnvVarName,
  nameIsDNSSubdomain,
} from '@apichain/meta';
import { isSet } from '@apichain/kinds';
import { noBacksteps } from '../common/formats.ts';
import { checkEach, invalidEach, optionalName, type Out, requiredName, requiredText } from '../common/rules.ts';
import { envFields, fieldRefErrors, resourceFieldRefErrors } from './field-selectors.ts';

function keyRefErrors(out: Out, path: string, ref: ConfigMapKeySelector | SecretKeySelector): void {
  const { name = '', key } = ref;
  invalidEach(out, `${path}.name`, name, isDNS1123Subdomain(name));
  requiredName(out, `${path}.key`, key, isConfigMapKey);
}

function fileKeyRefErrors(out: Out, path: string, ref: FileKeySelector): void {
  const { key, volumeName, path: file = '' } = ref;
  requiredName(out, `${path}.key`, key, isRelaxedEnvVarName);
  requiredName(out, `${path}.volumeName`, volumeName, isDNS1123Label);
  if (file === '') out.push(field.required(`${path}.path`));
  else noBacksteps(out, `${path}.path`, file);
}

/** Checks each source that is set and returns the number of them. */
function sourceErrors(out: Out, path: string, sources: EnvVarSource): number {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = sources;
  if (isSet(fieldRef)) fieldRefErrors(out, `${path}.fieldRef`, fieldRef, envFields);
  if (isSet(resourceFieldRef)) resourceFieldRefErrors(out, `${path}.resourceFieldRef`, resourceFieldRef, false);
  if (isSet(configMapKeyRef)) keyRefErrors(out, `${path}.configMapKeyRef`, configMapKeyRef);
  if (isSet(secretKeyRef)) keyRefErrors(out, `${path}.secretKeyRef`, secretKeyRef);
  if (isSet(fileKeyRef)) fileKeyRefErrors(out, `${path}.fileKeyRef`, fileKeyRef);
  return [fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef].filter(isSet).length;
}

function valueFromErrors(out: Out, path: string, variable: EnvVar): void {
  if (!isSet(variable.valueFrom)) return;
  const given = sourceErrors(out, path, variable.valueFrom);
  if (given === 0) {
    const detail =
      'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`';
    out.push(field.invalid(path, '', detail));
  } else if ((variable.value ?? '') !== '') {
    out.push(field.invalid(path, '', 'may not be specified when `value` is not empty'));
  } else if (given > 1) out.push(field.invalid(path, '', 'may not have more than one field specified at a time'));
}

export function envErrors(out: Out, path: string, variables: readonly EnvVar[] | undefined): void {
  checkEach(out, variables ?? [], (out, variable, i) => {
    const at = `${path}[${i}]`;
    requiredName(out, `${at}.name`, variable.name, isRelaxedEnvVarName);
    valueFromErrors(out, `${at}.valueFrom`, variable);
  });
}

export function envFromErrors(out: Out, path: string, entries: readonly EnvFromSource[] | undefined): void {
  checkEach(out, entries ?? [], (out, entry, i) => {
    const at = `${path}[${i}]`;
    optionalName(out, `${at}.prefix`, entry.prefix, isRelaxedEnvVarName);
    let given = 0;
    for (const name of ['configMapRef', 'secretRef'] as const) {
      const ref = entry[name];
      if (!isSet(ref)) continue;
      given++;
      requiredText(out, `${at}.${name}.name`, ref.name);
      optionalName(out, `${at}.${name}.name`, ref.name, (value) => nameIsDNSSubdomain(value, true));
    }
    if (given === 0) out.push(field.invalid(path, '', 'must specify one of: `configMapRef` or `secretRef`'));
    else if (given > 1) out.push(field.invalid(path, '', 'may not have more than one field specified at a time'));
  });
}

/** Files with environment variables must be in an emptyDir volume of the pod. */
export function envFileVolumeErrors(
  out: Out,
  path: string,
  variables: readonly EnvVar[] | undefined,
  volumes: () => ReadonlyMap<unknown, Volume>,
): void {
  checkEach(out, variables ?? [], (out, variable, i) => {
    const ref = variable.valueFrom?.fileKeyRef;
    if (!isSet(ref)) return;
    const at = `${path}[${i}].valueFrom.fileKeyRef.volumeName`;
    const name = ref.volumeName ?? '';
    const volume = volumes().get(name);
    if (volume === undefined) out.push(field.notFound(at, name));
    else if (!isSet(volume.emptyDir)) {
      out.push(field.invalid(at, name, 'referenced volume must be of type emptyDir'));
    }
  });
}
