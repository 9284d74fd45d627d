import type { DeviceClaim, DeviceClass, ResourceClaim, ResourceClaimTemplate } from '@apichain/api/resource/v1';
import { field, type FieldError } from '@apichain/meta';
import { isSet } from '@apichain/kinds';
import { semanticEqual } from '@apichain/meta';
import { goValue } from '../common/go-value.ts';
import { templateMetadataErrors } from '../common/metadata.ts';
import { isExtendedResource } from '../common/resources.ts';
import { collect, immutableDetail, type Out } from '../common/rules.ts';
import { configurationErrors, deviceClaimErrors, sameParameters, selectorErrors } from './device-requests.ts';

const devicesOf = (claim: ResourceClaim): DeviceClaim | undefined => claim.spec?.devices;
const devicesOfTemplate = (template: ResourceClaimTemplate): DeviceClaim | undefined => template.spec?.spec?.devices;

function specChanged<T extends ResourceClaim | ResourceClaimTemplate>(
  out: Out,
  object: T,
  old: T,
  type: string,
  devices: (object: T) => DeviceClaim | undefined,
): void {
  if (semanticEqual(object.spec, old.spec) && sameParameters(devices(object), devices(old))) return;
  out.push(field.invalid('spec', goValue(type, object.spec), immutableDetail));
}

/** https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/ */
export const validateResourceClaim = (claim: ResourceClaim): FieldError[] =>
  collect((out) => deviceClaimErrors(out, 'spec.devices', devicesOf(claim) ?? {}));

export const validateResourceClaimUpdate = (claim: ResourceClaim, old: ResourceClaim): FieldError[] =>
  collect((out) => specChanged(out, claim, old, 'resource.k8s.io.v1.ResourceClaimSpec', devicesOf));

export function validateResourceClaimTemplate(template: ResourceClaimTemplate): FieldError[] {
  return collect((out) => {
    templateMetadataErrors(out, 'spec.metadata', template.spec?.metadata);
    deviceClaimErrors(out, 'spec.spec.devices', devicesOfTemplate(template) ?? {});
  });
}

export const validateResourceClaimTemplateUpdate = (
  template: ResourceClaimTemplate,
  old: ResourceClaimTemplate,
): FieldError[] =>
  collect((out) => specChanged(out, template, old, 'resource.k8s.io.v1.ResourceClaimTemplateSpec', devicesOfTemplate));

export function validateDeviceClass(deviceClass: DeviceClass): FieldError[] {
  return collect((out) => {
    const spec = deviceClass.spec ?? {};
    selectorErrors(out, 'spec.selectors', spec.selectors ?? []);
    configurationErrors(out, 'spec.config', spec.config ?? []);
    const name = spec.extendedResourceName;
    if (isSet(name) && !isExtendedResource(name)) {
      out.push(field.invalid('spec.extendedResourceName', name, 'must be a valid extended resource name'));
    }
  });
}
