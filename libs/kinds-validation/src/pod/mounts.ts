import type { Container, VolumeMount } from '@apichain/api/core/v1';
import { field } from '@apichain/meta';
import { isSet } from '@apichain/kinds';
import { localDescendingPath } from '../common/formats.ts';
import { checkEach, type Out, requiredText } from '../common/rules.ts';
import type { PodContext } from './context.ts';

const propagations = ['Bidirectional', 'HostToContainer', 'None'];
const readOnlyModes = ['Disabled', 'Enabled', 'IfPossible'];

function propagationErrors(out: Out, path: string, mount: VolumeMount, privileged: boolean): void {
  const mode = mount.mountPropagation;
  if (!isSet(mode)) return;
  if (!propagations.includes(mode)) out.push(field.notSupported(path, mode, propagations));
  if (mode === 'Bidirectional' && !privileged) {
    out.push(field.forbidden(path, 'Bidirectional mount propagation is available only to privileged containers'));
  }
}

function recursiveReadOnlyErrors(out: Out, path: string, mount: VolumeMount): void {
  const mode = mount.recursiveReadOnly;
  if (!isSet(mode) || mode === 'Disabled') return;
  if (!readOnlyModes.includes(mode)) {
    out.push(field.notSupported(path, mode, readOnlyModes));
    return;
  }
  if (mount.readOnly !== true) out.push(field.forbidden(path, 'may only be specified when readOnly is true'));
  if (isSet(mount.mountPropagation) && mount.mountPropagation !== 'None') {
    out.push(field.forbidden(path, 'may only be specified when mountPropagation is None or not specified'));
  }
}

/** Checks the paths inside a volume; as in the API server, errors have the path of the list. */
function subPathErrors(out: Out, listPath: string, at: string, mount: VolumeMount): void {
  const subPath = mount.subPath ?? '';
  const subPathExpr = mount.subPathExpr ?? '';
  if (subPath !== '') localDescendingPath(out, `${listPath}.subPath`, subPath);
  if (subPathExpr === '') return;
  if (subPath !== '') {
    out.push(field.invalid(`${at}.subPathExpr`, subPathExpr, 'subPathExpr and subPath are mutually exclusive'));
  }
  localDescendingPath(out, `${listPath}.subPathExpr`, subPathExpr);
}

/** Checks the volume mounts of a container. */
export function volumeMountErrors(
  out: Out,
  path: string,
  container: Container,
  privileged: boolean,
  context: PodContext,
): void {
  const mounts = container.volumeMounts ?? [];
  if (mounts.length === 0) return;
  const devices = container.volumeDevices ?? [];
  const deviceNames = new Set(devices.map((device) => device.name ?? ''));
  const devicePaths = new Set(devices.map((device) => device.devicePath ?? ''));
  const paths = new Set<string>();
  checkEach(out, mounts, (out, mount, i) => {
    const at = `${path}[${i}]`;
    const name = mount.name ?? '';
    const mountPath = mount.mountPath ?? '';
    requiredText(out, `${at}.name`, name);
    if (!context.volumes.has(name)) out.push(field.notFound(`${at}.name`, name));
    requiredText(out, `${at}.mountPath`, mountPath);
    if (paths.has(mountPath)) out.push(field.invalid(`${at}.mountPath`, mountPath, 'must be unique'));
    paths.add(mountPath);
    if (deviceNames.has(name)) out.push(field.invalid(`${at}.name`, name, 'must not already exist in volumeDevices'));
    if (devicePaths.has(mountPath)) {
      out.push(field.invalid(`${at}.mountPath`, mountPath, 'must not already exist as a path in volumeDevices'));
    }
    subPathErrors(out, path, at, mount);
    propagationErrors(out, `${path}.mountPropagation`, mount, privileged);
    recursiveReadOnlyErrors(out, `${path}.recursiveReadOnly`, mount);
  });
}

/** Checks the block devices of a container. */
export function volumeDeviceErrors(out: Out, path: string, container: Container, context: PodContext): void {
  const devices = container.volumeDevices ?? [];
  if (devices.length === 0) return;
  const mounts = container.volumeMounts ?? [];
  const mountNames = new Set(mounts.map((mount) => mount.name ?? ''));
  const mountPaths = new Set(mounts.map((mount) => mount.mountPath ?? ''));
  const names = new Set<string>();
  const paths = new Set<string>();
  checkEach(out, devices, (out, device, i) => {
    const at = `${path}[${i}]`;
    const name = device.name ?? '';
    const devicePath = device.devicePath ?? '';
    const volume = context.volumes.get(name);
    const invalid = (member: string, value: string, detail: string) =>
      out.push(field.invalid(`${at}.${member}`, value, detail));
    requiredText(out, `${at}.name`, name);
    if (names.has(name)) invalid('name', name, 'must be unique');
    if (volume === undefined) out.push(field.notFound(`${at}.name`, name));
    else if (!isSet(volume.persistentVolumeClaim) && !isSet(volume.ephemeral)) {
      invalid('name', name, 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode');
    }
    requiredText(out, `${at}.devicePath`, devicePath);
    if (paths.has(devicePath)) invalid('devicePath', devicePath, 'must be unique');
    if (devicePath.split('/').includes('..')) {
      invalid('devicePath', devicePath, "can not contain backsteps ('..')");
    } else paths.add(devicePath);
    if (mountNames.has(name)) invalid('name', name, 'must not already exist in volumeMounts');
    if (mountPaths.has(devicePath)) {
      invalid('devicePath', devicePath, 'must not already exist as a path in volumeMounts');
    }
    if (name !== '') names.add(name);
  });
}
