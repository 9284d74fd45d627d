import { field, type FieldError, type KubeObject } from '@apichain/meta';
import { at, isSet, record, text } from '@apichain/kinds';
import { semanticEqual } from '@apichain/meta';
import { goValue } from '../common/go-value.ts';
import { templateMetadataErrors } from '../common/metadata.ts';
import { isExtendedResource } from '../common/resources.ts';
import { collect, immutableDetail, type Out } from '../common/rules.ts';
import { configurationErrors, deviceClaimErrors, sameParameters, selectorErrors } from './device-requests.ts';

const specChanged = (out: Out, object: KubeObject, old: KubeObject, type: string): void => {
  const devices = (of: KubeObject) => at(of.spec, 'devices') ?? at(of.spec, 'spec', 'devices');
  if (semanticEqual(object.spec, old.spec) && sameParameters(devices(object), devices(old))) return;
  out.push(field.invalid('spec', goValue(type, object.spec), immutableDetail));
};

/** https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/ */
export const validateResourceClaim = (claim: KubeObject): FieldError[] =>
  collect((out) => deviceClaimErrors(out, 'spec.devices', at(claim.spec, 'devices')));

export const validateResourceClaimUpdate = (claim: KubeObject, old: KubeObject): FieldError[] =>
  collect((out) => specChanged(out, claim, old, 'resource.k8s.io.v1.ResourceClaimSpec'));

export function validateResourceClaimTemplate(template: KubeObject): FieldError[] {
  return collect((out) => {
    templateMetadataErrors(out, 'spec.metadata', at(template.spec, 'metadata'));
    deviceClaimErrors(out, 'spec.spec.devices', at(template.spec, 'spec', 'devices'));
  });
}

export const validateResourceClaimTemplateUpdate = (template: KubeObject, old: KubeObject): FieldError[] =>
  collect((out) => specChanged(out, template, old, 'resource.k8s.io.v1.ResourceClaimTemplateSpec'));

export function validateDeviceClass(deviceClass: KubeObject): FieldError[] {
  return collect((out) => {
    const spec = record(deviceClass.spec);
    selectorErrors(out, 'spec.selectors', spec.selectors);
    configurationErrors(out, 'spec.config', spec.config);
    const name = spec.extendedResourceName;
    if (isSet(name) && !isExtendedResource(text(name))) {
      out.push(field.invalid('spec.extendedResourceName', text(name), 'must be a valid extended resource name'));
    }
  });
}
