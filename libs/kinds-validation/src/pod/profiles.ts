import type { AppArmorProfile, SeccompProfile } from '@apichain/api/core/v1';
import { byteLength, field } from '@apichain/meta';
import { isSet } from '@apichain/kinds';
import { goValue } from '../common/go-value.ts';
import { localDescendingPath } from '../common/formats.ts';
import { type Out } from '../common/rules.ts';

const types = ['Localhost', 'RuntimeDefault', 'Unconfined'];

/** A seccomp profile of a pod or container. */
export function seccompErrors(out: Out, path: string, profile: SeccompProfile | undefined): void {
  if (!isSet(profile)) return;
  const type = profile.type ?? '';
  const at = `${path}.localhostProfile`;
  if (type === '') out.push(field.required(`${path}.type`, 'type is required when seccompProfile is set'));
  else if (!types.includes(type)) out.push(field.notSupported(`${path}.type`, type, types));
  if (type !== 'Localhost') {
    if (!isSet(profile.localhostProfile)) return;
    const shown = goValue('core.v1.SeccompProfile', profile);
    out.push(field.invalid(at, shown, 'can only be set when seccomp type is Localhost'));
  } else if (!isSet(profile.localhostProfile)) {
    out.push(field.required(at, 'must be set when seccomp type is Localhost'));
  } else localDescendingPath(out, at, profile.localhostProfile);
}

const longestProfile = 4095;

/** An AppArmor profile of a pod or container. */
export function appArmorErrors(out: Out, path: string, profile: AppArmorProfile | undefined): void {
  if (!isSet(profile)) return;
  const type = profile.type ?? '';
  const at = `${path}.localhostProfile`;
  const given = isSet(profile.localhostProfile);
  const name = profile.localhostProfile ?? '';
  if (type === '') {
    out.push(field.required(`${path}.type`, 'type is required when appArmorProfile is set'));
    return;
  }
  if (type === 'Localhost') {
    if (name === '') out.push(field.required(at, 'must be set when AppArmor type is Localhost'));
    else {
      if (name !== name.trim()) out.push(field.invalid(at, name, 'must not be padded with whitespace'));
      if (byteLength(name) > longestProfile) out.push(field.tooLong(at, longestProfile));
    }
    return;
  }
  if (!types.includes(type)) out.push(field.notSupported(`${path}.type`, type, types));
  else if (given) out.push(field.invalid(at, name, 'can only be set when AppArmor type is Localhost'));
}
